import { useTranslation } from 'react-i18next'
import { formatLongDate } from '@/i18n/format'
import type { Language } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import { useConnectionCheck } from '@/refine/query-client'
import type { LicenseState } from '@/session/types'
import { useSession } from '@/session/use-session'
import { useIsConnectionLost } from '@/ui/connection-lost'
import { reloadPastCache, useChunkProblem } from '@/ui/load-chunk'
import { Notice } from '@/ui/notice'
import { PlainButton } from '@/ui/plain-button'

export function ConnectionNotice() {
  const { t } = useTranslation('common')
  const problem = useChunkProblem()
  const isLost = useIsConnectionLost()
  useConnectionCheck(problem === 'offline')
  if (problem === 'outdated') {
    return (
      <Notice
        tone="warning"
        role="status"
        title={t('outdated.title')}
        text={t('outdated.text')}
        action={<PlainButton onClick={() => void reloadPastCache()}>{t('states.reload')}</PlainButton>}
      />
    )
  }
  if (!isLost && problem === null) return null
  return <Notice tone="warning" role="status" title={t('offline.title')} text={t('offline.text')} />
}

export type LicenseNotice =
  | { kind: 'expired'; date: string | null }
  | { kind: 'expiring'; days: number; date: string | null }

/** The banner's kind and date, written out in the reader's language; null where there is no banner. */
export function licenseNotice(license: LicenseState, language: Language): LicenseNotice | null {
  const date = license.endDate === undefined ? null : formatLongDate(license.endDate, language)
  if (license.kind === 'expired') return { kind: 'expired', date }
  if (license.kind === 'expiring') return { kind: 'expiring', days: license.daysLeft ?? 1, date }
  return null
}

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
