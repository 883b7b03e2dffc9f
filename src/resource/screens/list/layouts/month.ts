/** A day by the reader's own clock: `2026-11-27`. */
export type Day = string

const pad = (number: number) => String(number).padStart(2, '0')

export function dayOf(date: Date): Day {
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}

/** Noon, so that a clock that changes in the night moves no day. */
function noonOf(day: Day): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date, 12)
}

export function addDays(day: Day, days: number): Day {
  const date = noonOf(day)
  date.setDate(date.getDate() + days)
  return dayOf(date)
}

/** `2026-11` and a number of months. */
export function addMonths(month: string, months: number): string {
  const date = noonOf(`${month}-01`)
  date.setMonth(date.getMonth() + months)
  return dayOf(date).slice(0, 7)
}

/** The weeks of a month, from Monday to Sunday, with the days of its neighbors that fill them. */
export function weeksOf(month: string): Day[][] {
  const first = noonOf(`${month}-01`)
  // Sunday is 0, and the last day of a week here.
  let day = addDays(dayOf(first), -((first.getDay() + 6) % 7))
  const weeks: Day[][] = []
  do {
    weeks.push(Array.from({ length: 7 }, (_, index) => addDays(day, index)))
    day = addDays(day, 7)
  } while (day.slice(0, 7) === month)
  return weeks
}

/** The instant at which a day begins by the reader's clock, as the database reads it. */
export function startOf(day: Day): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date).toISOString()
}

/** The day of a value: a `date` as it is written, a `datetime` by the reader's clock. Null for no value. */
export function dayOfValue(value: unknown, isInstant: boolean): Day | null {
  if (typeof value !== 'string' || value === '') return null
  if (!isInstant) return value.slice(0, 10)
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? null : dayOf(date)
}
