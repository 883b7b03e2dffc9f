import { fold } from '@/i18n/fold'

export const DATE_FORMS = ['day', 'month'] as const
/** The part that leads in `3/4/2026`. A year in front is never in doubt. */
export type DateForm = (typeof DATE_FORMS)[number]

const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:$|[T\s]+(.*)$)/
const MARKED = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?:$|[T,\s]+(.*)$)/
const NAMED = /^(\d{1,2})\.?[\s-]*(\p{L}+)\.?,?[\s-]*(\d{4}|\d{2})(?:$|[T,\s]+(.*)$)/u
const NAME_FIRST = /^(\p{L}+)\.?\s*(\d{1,2}),?\s+(\d{4})(?:$|[T,\s]+(.*)$)/u
const DIGITS = /^(\d\d)(\d\d)((?:19|2\d)\d\d)(?:$|[T\s]+(.*)$)/
const ISO_DIGITS = /^((?:19|2\d)\d\d)(\d\d)(\d\d)(?:$|[T\s]+(.*)$)/
const CLOCK = /^(\d{1,2})[:.](\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(am|pm|öö|ös)?$/i
const ZONED = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/i

interface Written {
  day: string
  /** `14:05:00`; null when none is given. */
  time: string | null
}

const two = (text: string | number) => String(text).padStart(2, '0')

function timeOf(text: string | undefined): string | null | undefined {
  if (text === undefined || text.trim() === '') return null
  const [, hour, minute, second, half] = CLOCK.exec(text.trim()) ?? []
  if (hour === undefined || minute === undefined) return undefined
  const isLate = /^(pm|ös)$/i.test(half ?? '')
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (isLate ? 12 : 0)
  if (hours > 23 || Number(minute) > 59 || Number(second ?? 0) > 59) return undefined
  return `${two(hours)}:${minute}:${second ?? '00'}`
}

/** Folded names of months, in full and short, in both languages: `mar`, `march`, `mart`. */
const MONTHS = new Map<string, number>()
for (const locale of ['en-GB', 'en-US', 'tr-TR'])
  for (const month of ['long', 'short'] as const) {
    const { format } = new Intl.DateTimeFormat(locale, { month, timeZone: 'UTC' })
    for (let index = 0; index < 12; index += 1) MONTHS.set(fold(format(Date.UTC(2026, index))), index + 1)
  }

/** Year, month, day and what follows them, each as written. */
type Parts = [year: string, month: string, day: string, rest: string | undefined]

function partsOf(text: string, form: DateForm): Parts[] {
  const isMonthFirst = form === 'month' && !/^\d+\./.test(text)
  const found: Parts[] = []
  const take = (pattern: RegExp, order: (first: string, second: string, third: string) => string[]) => {
    const [, first, second, third, rest] = pattern.exec(text) ?? []
    if (first === undefined || second === undefined || third === undefined) return
    const [year = '', month = '', day = ''] = order(first, second, third)
    found.push([year, month, day, rest])
  }
  const byForm = (first: string, second: string, year: string) =>
    isMonthFirst ? [year, first, second] : [year, second, first]
  const byYear = (...parts: string[]) => parts
  const monthOf = (name: string) => String(MONTHS.get(fold(name)) ?? '')
  take(ISO, byYear)
  take(MARKED, byForm)
  take(DIGITS, byForm)
  take(ISO_DIGITS, byYear)
  take(NAMED, (day, name, year) => [year, monthOf(name), day])
  take(NAME_FIRST, (name, day, year) => [year, monthOf(name), day])
  return found
}

/** A day that exists, with its time if it has one; null for anything else. */
export function parseDay(text: string, form: DateForm): Written | null {
  for (const [year, month, date, rest] of partsOf(text.trim(), form)) {
    const day = `${year.length === 2 ? `20${year}` : year}-${two(month)}-${two(date)}`
    const at = new Date(`${day}T00:00:00Z`)
    if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day) continue
    const time = timeOf(rest)
    if (time !== undefined) return { day, time }
  }
  return null
}

/** A moment as ISO text, in its own zone or in the reader's; null when it is not one. */
export function parseInstant(text: string, form: DateForm): string | null {
  const trimmed = text.trim()
  const at = ZONED.test(trimmed) ? new Date(trimmed) : localInstant(parseDay(trimmed, form))
  return at && !Number.isNaN(at.getTime()) ? at.toISOString() : null
}

function localInstant(written: Written | null): Date | null {
  return written && new Date(`${written.day}T${written.time ?? '00:00:00'}`)
}
