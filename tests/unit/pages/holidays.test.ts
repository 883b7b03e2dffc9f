import Holidays from 'date-holidays'
import { describe, expect, it } from 'vitest'
import { firstCountry, holidayRows, todayIn } from '@/pages/tickets/holidays'

const days = (country: string, region: string, year: number) =>
  holidayRows(new Holidays(country, region, { languages: ['en'], types: ['public'] }), [year])

describe('holidayRows', () => {
  it('gives each day of a holiday of several days a row', () => {
    const turkish = days('TR', '', 2026)
    expect(turkish.map(({ date }) => date)).toEqual([
      '2026-01-01',
      '2026-03-20',
      '2026-03-21',
      '2026-03-22',
      '2026-04-23',
      '2026-05-01',
      '2026-05-19',
      '2026-05-27',
      '2026-05-28',
      '2026-05-29',
      '2026-05-30',
      '2026-07-15',
      '2026-08-30',
      '2026-10-29',
    ])
    expect(turkish.every(({ from }) => from === undefined)).toBe(true)
  })

  it('knows the holidays of a region', () => {
    const bavaria = days('DE', 'BY', 2026).map(({ date }) => date)
    const germany = days('DE', '', 2026).map(({ date }) => date)
    expect(bavaria).toContain('2026-01-06')
    expect(germany).not.toContain('2026-01-06')
  })

  it('keeps the hours of a part of a day', () => {
    const source = {
      getHolidays: () => [
        {
          date: '2026-10-28 13:00:00',
          start: new Date('2026-10-28T10:00:00Z'),
          end: new Date('2026-10-28T21:00:00Z'),
          name: 'Eve',
          type: 'public',
        },
      ],
    }
    expect(holidayRows(source as never, [2026])).toEqual([
      { date: '2026-10-28', name: 'Eve', from: '13:00', until: '24:00' },
    ])
  })
})

describe('the country that a calendar begins with', () => {
  const all = Object.keys(new Holidays().getCountries())
  const zonesOf = Object.fromEntries(
    all.map((country) => [country, new Holidays(country).getTimezones() ?? []]),
  )

  it('is that of its time zone, whatever the browser speaks', () => {
    expect(firstCountry(zonesOf, 'Europe/Istanbul', ['en-US', 'en'])).toBe('TR')
    expect(firstCountry(zonesOf, 'America/New_York', ['tr-TR'])).toBe('US')
  })

  it('is the one of the browser where countries share a time zone', () => {
    expect(firstCountry(zonesOf, 'Europe/Belgrade', ['en', 'hr-HR'])).toBe('HR')
  })

  it('is that of the browser without one in the zone, and none where nothing tells', () => {
    expect(firstCountry(zonesOf, 'UTC', ['en', 'de-AT'])).toBe('AT')
    expect(firstCountry(zonesOf, 'UTC', ['en', 'not a language'])).toBeNull()
    expect(firstCountry(zonesOf, null, [])).toBeNull()
  })
})

it('a day begins in the time zone of the calendar', () => {
  const late = new Date('2026-12-31T22:30:00Z')
  expect(todayIn('Europe/Istanbul', late)).toBe('2027-01-01')
  expect(todayIn('America/New_York', late)).toBe('2026-12-31')
})
