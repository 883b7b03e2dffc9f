import { useTranslation } from 'react-i18next'
import { licenceNotice } from '@/app/licence-notice'
import { useLanguage } from '@/i18n/use-language'
import { useSession } from '@/session/use-session'
import { Notice } from '@/ui/notice'

/** Above every page, as long as it is true: nothing is read-only without saying why. */
export function LicenceBanner() {
  const { t } = useTranslation('shell')
  const { licence } = useSession()
  const language = useLanguage()
  const notice = licenceNotice(licence, language)
  if (!notice) return null
  const end = notice.date === null ? null : t('licence.endDate', { date: notice.date })
  const body =
    notice.kind === 'expired' ? t('licence.expiredText') : t('licence.expiringText', { count: notice.days })
  return (
    <Notice
      tone={notice.kind === 'expired' ? 'error' : 'warning'}
      title={notice.kind === 'expired' ? t('licence.expiredTitle') : t('licence.expiringTitle')}
      text={end === null ? body : `${body} ${end}`}
    />
  )
}
