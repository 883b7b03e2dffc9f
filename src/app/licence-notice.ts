import { formatLongDate } from '@/i18n/format'
import type { Language } from '@/i18n/language'
import type { LicenceState } from '@/session/types'

export type LicenceNotice =
  | { kind: 'expired'; date: string | null }
  | { kind: 'expiring'; days: number; date: string | null }

/** What the banner says, its date written out in the reader's language; null where there is no banner. */
export function licenceNotice(licence: LicenceState, language: Language): LicenceNotice | null {
  const date = licence.endDate === undefined ? null : formatLongDate(licence.endDate, language)
  if (licence.kind === 'expired') return { kind: 'expired', date }
  if (licence.kind === 'expiring') return { kind: 'expiring', days: licence.daysLeft ?? 1, date }
  return null
}
