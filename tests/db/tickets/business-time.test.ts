import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { patience } from '../../support/patience'
import { addBusinessSeconds, businessSeconds, type Calendar, momentOf } from './business-time'

const ZONES = [
  'Europe/Istanbul',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Auckland',
  'UTC',
]
/** All of them on PostgreSQL, where a minute is enough; PGlite, of the same source, takes a sample. */
const CALENDARS = { postgres: 5000, pglite: process.env.THOROUGH === '1' ? 5000 : 400 }
const DAY = 86_400
const START = Date.UTC(2024, 0, 1)

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** Rows of a week that do not overlap: cuts of the minutes of the week in pairs, some over midnight. */
const hours = fc
  .uniqueArray(fc.integer({ min: 0, max: 671 }), { minLength: 2, maxLength: 16 })
  .map((cuts) => {
    const sorted = cuts.map((cut) => cut * 15).sort((a, b) => a - b)
    return sorted.flatMap((begins, index) => {
      const ends = sorted[index + 1]
      if (index % 2 === 1 || ends === undefined || ends - begins >= 1440) return []
      const day = Math.floor(begins / 1440)
      const until = ends - day * 1440
      return [
        {
          day: String(day + 1),
          from: clock(begins - day * 1440),
          until: until === 1440 ? '24:00' : clock(until % 1440),
        },
      ]
    })
  })
  .filter((rows) => rows.length > 0)

const holiday = fc
  .record({
    day: fc.integer({ min: 0, max: 500 }),
    part: fc.option(fc.tuple(fc.integer({ min: 0, max: 47 }), fc.integer({ min: 1, max: 48 }))),
  })
  .map(({ day, part }) => {
    const date = new Date(START + day * DAY * 1000).toISOString().slice(0, 10)
    if (part === null || part[0] >= part[1]) return { date }
    return { date, from: clock(part[0] * 30), until: part[1] === 48 ? '24:00' : clock(part[1] * 30) }
  })

const sample = fc.record({
  calendar: fc.record({
    timezone: fc.constantFrom(...ZONES),
    hours,
    holidays: fc.array(holiday, { maxLength: 30 }),
  }),
  from: fc.integer({ min: 10 * DAY, max: 400 * DAY }),
  /** Mostly days, so that a change of the clocks or a holiday lies within. */
  length: fc.oneof(fc.integer({ min: 0, max: 2 * DAY }), fc.integer({ min: 0, max: 60 * DAY })),
  seconds: fc.integer({ min: 0, max: 40 * 3600 }),
  pause: fc.tuple(fc.integer({ min: 0, max: 5 * DAY }), fc.integer({ min: 0, max: 3 * DAY })),
})

describe('momentOf', () => {
  it('reads a skipped time with the offset before it, and the second of two equal ones', () => {
    const berlin = (text: string) => new Date(momentOf('Europe/Berlin', Date.parse(`${text}Z`))).toISOString()
    expect(berlin('2024-03-31T02:30:00')).toBe('2024-03-31T01:30:00.000Z')
    expect(berlin('2024-10-27T02:30:00')).toBe('2024-10-27T01:30:00.000Z')
    expect(berlin('2024-10-27T01:59:00')).toBe('2024-10-26T23:59:00.000Z')
  })
})

describe.each(drivers('plans'))('business time on %s', (driver) => {
  let backend: TestBackend
  let calendar: string

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    const company = await createCompany(backend)
    const [row] = await backend.sql<{ id: string }>(
      'select id from public.business_calendars where company_id = $1 and is_default',
      [company],
    )
    calendar = row?.id ?? ''
    await backend.sql(`
      create or replace function public.test_business_time(calendar uuid, samples jsonb)
        returns table (place integer, between_seconds double precision, due timestamptz, paused_due timestamptz)
        language plpgsql volatile set search_path = '' as $$
      declare
        one jsonb;
        start_at timestamptz;
        pause_at timestamptz;
      begin
        place := 0;
        for one in select x from jsonb_array_elements(samples) x loop
          update public.business_calendars c set timezone = one -> 'calendar' ->> 'timezone', hours = one -> 'calendar' -> 'hours',
            holidays = one -> 'calendar' -> 'holidays' where c.id = calendar;
          start_at := timestamptz '2024-01-01 00:00+00' + make_interval(secs => (one ->> 'from')::integer);
          pause_at := start_at + make_interval(secs => (one -> 'pause' ->> 0)::integer);
          between_seconds := app.business_time_between(calendar, start_at, start_at + make_interval(secs => (one ->> 'length')::integer));
          due := app.add_business_time(calendar, start_at, (one ->> 'seconds')::integer);
          paused_due := app.add_business_time(calendar, start_at, (one ->> 'seconds')::integer
            + app.business_time_between(calendar, pause_at, pause_at + make_interval(secs => (one -> 'pause' ->> 1)::integer)));
          place := place + 1;
          return next;
        end loop;
      end $$`)
  })
  afterAll(async () => {
    await backend?.sql('drop function if exists public.test_business_time(uuid, jsonb)')
    await backend?.stop()
  })

  it(
    `agrees with a plain model over ${CALENDARS[driver]} calendars with changed clocks, holidays, pauses and changed hours`,
    async () => {
      const samples = fc.sample(sample, { numRuns: CALENDARS[driver], seed: 28 })
      let counted = 0
      for (let at = 0; at < samples.length; at += 100) {
        const batch = samples.slice(at, at + 100)
        // The calendar itself changes with each sample: a stored clock of the one before would give a wrong answer.
        const rows = await backend.sql<Answer>(
          `select * from public.test_business_time($1::uuid, $2::jsonb)`,
          [calendar, JSON.stringify(batch)],
        )
        for (const [index, row] of rows.entries()) {
          const given = batch[index]
          if (!given) throw new Error('no sample')
          const from = START + given.from * 1000
          const until = from + given.length * 1000
          const expected = expectedOf(given.calendar, from, until, given.seconds, given.pause)
          expect(
            { between: Number(row.between_seconds), due: timeOf(row.due), paused: timeOf(row.paused_due) },
            JSON.stringify(given),
          ).toEqual(expected)
          counted += 1
        }
      }
      expect(counted).toBe(CALENDARS[driver])
    },
    patience(240_000),
  )
})

interface Answer {
  between_seconds: number
  due: unknown
  paused_due: unknown
}

/** Long enough for 40 hours of a week that is open for a quarter of an hour. */
const HORIZON_DAYS = 2048

function expectedOf(
  calendar: Calendar,
  from: number,
  until: number,
  seconds: number,
  [wait, paused]: readonly [number, number],
) {
  const pausedFrom = from + wait * 1000
  const stopped = businessSeconds(calendar, pausedFrom, pausedFrom + paused * 1000)
  return {
    between: businessSeconds(calendar, from, until),
    due: addBusinessSeconds(calendar, from, seconds, HORIZON_DAYS),
    paused: addBusinessSeconds(calendar, from, seconds + stopped, HORIZON_DAYS),
  }
}

const timeOf = (value: unknown) => (value === null ? null : new Date(String(value)).getTime())
