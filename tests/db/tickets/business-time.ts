/** A calendar as the database keeps it. */
export interface Calendar {
  timezone: string
  hours: { day: string; from: string; until: string }[]
  holidays: { date: string; from?: string; until?: string }[]
}

const SECOND = 1000
const DAY = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat>()

const QUARTER = 900_000
const offsets = new Map<string, number>()

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds: they change at quarters of an hour. */
function offsetAt(zone: string, at: number): number {
  const key = `${zone} ${Math.floor(at / QUARTER)}`
  const known = offsets.get(key)
  if (known !== undefined) return known
  const offset = readOffset(zone, Math.floor(at / QUARTER) * QUARTER)
  offsets.set(key, offset)
  return offset
}

function readOffset(zone: string, at: number): number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  formats.set(zone, format)
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const wall = Date.UTC(part.year ?? 0, (part.month ?? 1) - 1, part.day, part.hour, part.minute, part.second)
  return wall - Math.floor(at / SECOND) * SECOND
}

/**
 * The moment at which the clocks of a zone show a time. One that they skip is read with the offset before it, one that
 * they show twice as the second one.
 */
export function momentOf(zone: string, wall: number): number {
  const before = offsetAt(zone, wall - DAY)
  const after = offsetAt(zone, wall + DAY)
  if (before === after) return wall - before
  const late = wall - after
  if (offsetAt(zone, late) === after) return late
  return wall - before
}

function wallOf(date: string, time: string): number {
  return time === '24:00' ? Date.parse(`${date}T00:00:00Z`) + DAY : Date.parse(`${date}T${time}:00Z`)
}

type Span = readonly [begins: number, ends: number]

/** The spans in which a calendar is open, day after day, each cut by every holiday. */
export function openSpans(calendar: Calendar, from: number, until: number): Span[] {
  const { timezone } = calendar
  const closed = calendar.holidays.map(
    (holiday): Span => [
      momentOf(timezone, wallOf(holiday.date, holiday.from ?? '00:00')),
      momentOf(timezone, wallOf(holiday.date, holiday.until ?? '24:00')),
    ],
  )
  const spans: Span[] = []
  for (let day = Math.floor(from / DAY) * DAY - 3 * DAY; day <= until + 3 * DAY; day += DAY) {
    const date = new Date(day).toISOString().slice(0, 10)
    const weekday = String(new Date(day).getUTCDay() || 7)
    for (const row of calendar.hours.filter((each) => each.day === weekday)) {
      const begins = wallOf(date, row.from)
      const ends = wallOf(date, row.until)
      const whole: Span = [momentOf(timezone, begins), momentOf(timezone, ends > begins ? ends : ends + DAY)]
      let open = [whole]
      for (const [shut, reopens] of closed.filter(([a, b]) => a < whole[1] && b > whole[0]))
        open = open.flatMap(([opens, closes]): Span[] => [
          [opens, Math.min(closes, shut)],
          [Math.max(opens, reopens), closes],
        ])
      spans.push(...open.filter(([opens, closes]) => opens < closes))
    }
  }
  spans.sort(([a], [b]) => a - b)
  // A change of the clocks may push two rows of a night onto each other: time counts once.
  const merged: [number, number][] = []
  for (const [opens, closes] of spans) {
    const last = merged.at(-1)
    if (last && opens <= last[1]) last[1] = Math.max(last[1], closes)
    else merged.push([opens, closes])
  }
  return merged
}

/** Seconds of business time between two moments. */
export function businessSeconds(calendar: Calendar, from: number, until: number): number {
  if (until <= from) return 0
  return (
    openSpans(calendar, from, until)
      .map(([opens, closes]) => Math.max(0, Math.min(closes, until) - Math.max(opens, from)))
      .reduce((sum, each) => sum + each, 0) / SECOND
  )
}

/** The first moment at which so many seconds of business time have passed, looked for within so many days. */
export function addBusinessSeconds(
  calendar: Calendar,
  from: number,
  seconds: number,
  days: number,
): number | null {
  if (seconds <= 0) return from
  for (let horizon = 8; horizon <= days; horizon *= 4) {
    let left = seconds * SECOND
    for (const [opens, closes] of openSpans(calendar, from, from + horizon * DAY)) {
      const begins = Math.max(opens, from)
      if (closes <= begins) continue
      if (begins + left > from + horizon * DAY) break
      if (closes - begins >= left) return begins + left
      left -= closes - begins
    }
  }
  return null
}
