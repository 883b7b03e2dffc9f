import type { Language } from '@/i18n/language'

/** A calendar day (`2026-11-21`) in the reader's language. It has no time zone: it is never moved into one. */
export function formatDay(day: string | null, language: Language): string {
  if (day === null) return '–'
  const at = new Date(`${day.slice(0, 10)}T00:00:00Z`)
  if (Number.isNaN(at.getTime())) return day
  return new Intl.DateTimeFormat(language === 'tr' ? 'tr-TR' : 'en-GB', {
    dateStyle: 'medium',
    timeZone: 'UTC',
  }).format(at)
}
