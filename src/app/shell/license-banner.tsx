import { useTranslation } from 'react-i18next'
import { licenseNotice } from '@/app/license-notice'
import { useLanguage } from '@/i18n/use-language'
import { useSession } from '@/session/use-session'
import { Notice } from '@/ui/notice'

/** Shown above every page, so that a read-only console says why. */
export function LicenseBanner() {
  const { t } = useTranslation('shell')
  const { license } = useSession()
  const language = useLanguage()
  const notice = licenseNotice(license, language)
  if (!notice) return null
  const end = notice.date === null ? null : t('license.endDate', { date: notice.date })
  const body =
    notice.kind === 'expired' ? t('license.expiredText') : t('license.expiringText', { count: notice.days })
  return (
    <Notice
      tone={notice.kind === 'expired' ? 'error' : 'warning'}
      title={notice.kind === 'expired' ? t('license.expiredTitle') : t('license.expiringTitle')}
      text={end === null ? body : `${body} ${end}`}
    />
  )
}
