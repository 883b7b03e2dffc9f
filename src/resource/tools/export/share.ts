import { formatNumber } from '@/i18n/format'
import type { Language } from '@/i18n/language'

/** `54%` / `%54`; null for a share of nothing. */
export function formatShare(value: number, of: number, language: Language): string | null {
  return of > 0 ? formatNumber(value / of, language, { style: 'percent', maximumFractionDigits: 0 }) : null
}
