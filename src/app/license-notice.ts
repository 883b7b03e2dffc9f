import { formatLongDate } from '@/i18n/format'
import type { Language } from '@/i18n/language'
import type { LicenseState } from '@/session/types'

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
