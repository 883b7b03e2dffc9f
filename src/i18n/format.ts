import type { Language } from '@/i18n/language'

/** English dates are written day first: `12 Mar 2027`, as Turkish ones are. */
const LOCALES: Record<Language, string> = { en: 'en-GB', tr: 'tr-TR' }

type Instant = Date | string | number

function toDate(value: Instant): Date {
  return value instanceof Date ? value : new Date(value)
}

/** Creating a format takes twenty times as long as using it, and a list uses the same few in every row. */
function kept<Format>(make: (language: Language) => Format): (language: Language) => Format {
  const formats = new Map<Language, Format>()
  return (language) => {
    const format = formats.get(language) ?? make(language)
    formats.set(language, format)
    return format
  }
}

/** English has one form for every date. The specification wants a Turkish license's end written out. */
const LONG = { en: 'medium', tr: 'long' } as const
const longDate = kept((language) => new Intl.DateTimeFormat(LOCALES[language], { dateStyle: LONG[language] }))
// A day has no time zone: read as UTC and written as UTC, or it would slip by one west of Greenwich.
const calendarDay = kept(
  (language) => new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'medium', timeZone: 'UTC' }),
)
const dateTime = kept(
  (language) => new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'medium', timeStyle: 'short' }),
)
const clock = kept((language) => new Intl.DateTimeFormat(LOCALES[language], { timeStyle: 'short' }))
const firstZone = kept(
  (language) =>
    new Intl.DateTimeFormat(LOCALES[language], {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'Etc/GMT-14',
    }),
)
const relative = kept((language) => new Intl.RelativeTimeFormat(LOCALES[language], { numeric: 'auto' }))
const alternatives = kept((language) => new Intl.ListFormat(LOCALES[language], { type: 'disjunction' }))
const conjunctions = kept((language) => new Intl.ListFormat(LOCALES[language], { type: 'conjunction' }))
const numbers = new Map<string, Intl.NumberFormat>()

/** `12 Mar 2027` / `12 Mart 2027`, in the reader's time zone. */
export function formatLongDate(value: Instant, language: Language): string {
  return longDate(language).format(toDate(value))
}

/**
 * A calendar day as the database writes it, `2027-03-12`, becomes `12 Mar 2027`. Anything else is returned
 * unchanged.
 */
export function formatDay(value: string, language: Language): string {
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`)
  return Number.isNaN(day.getTime()) ? value : calendarDay(language).format(day)
}

/** `12 Mar 2027, 14:05` / `12 Mar 2027 14:05`. */
export function formatDateTime(value: Instant, language: Language): string {
  return dateTime(language).format(toDate(value))
}

/** `14:05`, in the reader's time zone. */
export function formatTime(value: Instant, language: Language): string {
  return clock(language).format(toDate(value))
}

/** As `formatDateTime`, by the clock of the zone where a day begins first: what all clocks show when it is their turn. */
export function formatFirstZone(value: Instant, language: Language): string {
  return firstZone(language).format(toDate(value))
}

export function formatNumber(
  value: number,
  language: Language,
  options: Intl.NumberFormatOptions = {},
): string {
  const key = `${language}${JSON.stringify(options)}`
  const format = numbers.get(key) ?? new Intl.NumberFormat(LOCALES[language], options)
  numbers.set(key, format)
  return format.format(value)
}

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
]

const calendarDays = (to: Date, from: Date): number =>
  Math.round(
    (Date.UTC(to.getFullYear(), to.getMonth(), to.getDate()) -
      Date.UTC(from.getFullYear(), from.getMonth(), from.getDate())) /
      86_400_000,
  )

/** `3 minutes ago`, `in 2 days`, `now`; `now` in milliseconds since the epoch. */
export function formatRelative(value: Instant, now: number, language: Language): string {
  const seconds = Math.round((toDate(value).getTime() - now) / 1000)
  const format = relative(language)
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) < size) continue
    // "Tomorrow" is the next day of the calendar, not 24 to 48 hours from now.
    const count = unit === 'day' ? calendarDays(toDate(value), new Date(now)) : Math.trunc(seconds / size)
    return format.format(count, unit)
  }
  return format.format(0, 'second')
}

const COUNTDOWN_UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** A span of milliseconds by its largest units, two by default, to the second in the last hour: `2 days 3 hr`. */
export function formatCountdown(ms: number, language: Language, units = 2): string {
  let rest = Math.floor(ms / 1000)
  const parts: string[] = []
  for (const [unit, size] of COUNTDOWN_UNITS) {
    const amount = Math.floor(rest / size)
    rest -= amount * size
    if (parts.length === 0 && amount === 0 && unit !== 'second') continue
    parts.push(new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(amount))
  }
  return parts.slice(0, units).join(' ')
}

/**
 * An exit code as people look it up. Windows ends a program that crashed with a code of 32 bits, which is known by its
 * hexadecimal form: 3221225477 and its signed twin -1073741819 are 0xC0000005. A script that ends with -1 reads -1.
 */
export function formatExitCode(code: number): string {
  const unsigned = code < 0 ? code + 2 ** 32 : code
  if (unsigned < 2 ** 31 || unsigned > 2 ** 32 - 1) return String(code)
  if (unsigned >= 2 ** 32 - 2 ** 16) return String(unsigned - 2 ** 32)
  return `0x${unsigned.toString(16).toUpperCase()}`
}

/** `A, B or C` / `A, B veya C`. */
export function formatAlternatives(values: readonly string[], language: Language): string {
  return alternatives(language).format(values)
}

/** `A, B and C` / `A, B ve C`. */
export function formatConjunction(values: readonly string[], language: Language): string {
  return conjunctions(language).format(values)
}
