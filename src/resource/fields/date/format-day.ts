import type { Language } from '@/i18n/language'

const LOCALES: Record<Language, string> = { en: 'en-GB', tr: 'tr-TR' }

const formats = new Map<Language, Intl.DateTimeFormat>()

/** A day has no time zone: read as UTC and written as UTC, or it would slip by one west of Greenwich. */
export function formatDay(value: string, language: Language): string {
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`)
  if (Number.isNaN(day.getTime())) return value
  // Kept: a list writes as many days as it has rows.
  const format =
    formats.get(language) ??
    new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'medium', timeZone: 'UTC' })
  formats.set(language, format)
  return format.format(day)
}
