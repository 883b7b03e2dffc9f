import type Holidays from 'date-holidays'

/** A row of a calendar's holidays; without times the whole day is closed. */
export interface HolidayRow {
  date: string
  name: string
  from?: string
  until?: string
}

export const HOLIDAY_YEARS = 3
const MINUTE_MS = 60_000
const DAY_MINUTES = 1440

/**
 * The country that a calendar begins with: that of its time zone, as the browser's languages tell them apart where several
 * countries share it, else that of the browser. Null where neither tells one.
 */
export function firstCountry(
  zonesOf: Readonly<Record<string, readonly string[]>>,
  timezone: string | null,
  languages: readonly string[],
): string | null {
  const inZone = Object.keys(zonesOf).filter(
    (country) => timezone !== null && zonesOf[country]?.includes(timezone),
  )
  const spoken = languages.flatMap((language) => {
    try {
      const { region } = new Intl.Locale(language)
      return region !== undefined && region in zonesOf ? [region] : []
    } catch {
      return []
    }
  })
  return (
    (inZone.length > 0 ? (spoken.find((region) => inZone.includes(region)) ?? inZone[0]) : spoken[0]) ?? null
  )
}

/** The day that it is now in a time zone, as `2026-11-27`. */
export function todayIn(timezone: string | null, now = new Date()): string {
  // The format of Sweden is that of ISO 8601.
  return new Intl.DateTimeFormat('sv', timezone ? { timeZone: timezone } : {}).format(now)
}

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** The public holidays of these years by local day: one that takes several days is a row for each. */
export function holidayRows(source: Holidays, years: readonly number[]): HolidayRow[] {
  const rows = new Map<string, HolidayRow>()
  for (const holiday of years.flatMap((year) => source.getHolidays(year))) {
    if (holiday.type !== 'public') continue
    const [day = '', time = '00:00', sunset] = holiday.date.split(' ')
    const [hours = 0, minutes = 0] = time.split(':').map(Number)
    let begins = hours * 60 + minutes
    let left = Math.round((holiday.end.getTime() - holiday.start.getTime()) / MINUTE_MS)
    // A day that begins at the sunset before it, as in the Islamic calendar, closes its whole days alone.
    if (sunset) left = Math.max(1, Math.floor(left / DAY_MINUTES)) * DAY_MINUTES
    for (let index = 0; left > 0; index += 1) {
      const date = new Date(Date.parse(`${day}T00:00:00Z`) + index * DAY_MINUTES * MINUTE_MS)
        .toISOString()
        .slice(0, 10)
      const ends = Math.min(DAY_MINUTES, begins + left)
      const isWhole = begins === 0 && ends === DAY_MINUTES
      const known = rows.get(date)
      // A whole day takes the place of a part of it.
      if (!known || (known.from !== undefined && isWhole))
        rows.set(date, {
          date,
          name: holiday.name,
          ...(isWhole ? {} : { from: clock(begins), until: clock(ends) }),
        })
      left -= ends - begins
      begins = 0
    }
  }
  return [...rows.values()].sort((a, b) => a.date.localeCompare(b.date))
}
