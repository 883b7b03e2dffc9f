import type { Values } from './as-user'

/** Where the clock jumps: Berlin on 29 March and 25 October 2026; Istanbul had its last jump on 27 March 2016. */
export const TIMES: [name: string, task: Values, after: string, next: string[]][] = [
  [
    'daily at nine in Berlin keeps nine over the change to summer time',
    { frequency: 'daily', time_of_day: '09:00', timezone: 'Europe/Berlin' },
    '2026-03-27T12:00:00Z',
    ['2026-03-28T08:00:00Z', '2026-03-29T07:00:00Z', '2026-03-30T07:00:00Z'],
  ],
  [
    'a time that the spring day leaves out comes right after the change',
    { frequency: 'daily', time_of_day: '02:30', timezone: 'Europe/Berlin' },
    '2026-03-28T12:00:00Z',
    ['2026-03-29T01:30:00Z', '2026-03-30T00:30:00Z'],
  ],
  [
    'a time that the autumn day has twice comes once',
    { frequency: 'daily', time_of_day: '02:30', timezone: 'Europe/Berlin' },
    '2026-10-24T12:00:00Z',
    ['2026-10-25T01:30:00Z', '2026-10-26T01:30:00Z'],
  ],
  [
    'Istanbul has no summer time any more',
    { frequency: 'daily', time_of_day: '09:00', timezone: 'Europe/Istanbul' },
    '2026-03-28T12:00:00Z',
    ['2026-03-29T06:00:00Z', '2026-03-30T06:00:00Z'],
  ],
  [
    'Istanbul had one in 2016',
    { frequency: 'daily', time_of_day: '09:00', timezone: 'Europe/Istanbul' },
    '2016-03-26T00:00:00Z',
    ['2016-03-26T07:00:00Z', '2016-03-27T06:00:00Z'],
  ],
  [
    'a week has the days that were chosen, across the change',
    { frequency: 'weekly', weekdays: '{mon,sun}', time_of_day: '00:15', timezone: 'Europe/Berlin' },
    '2026-10-23T12:00:00Z',
    ['2026-10-24T22:15:00Z', '2026-10-25T23:15:00Z', '2026-10-31T23:15:00Z'],
  ],
  [
    'the 31st is the last day of shorter months',
    { frequency: 'monthly', month_day: 31, time_of_day: '08:00', timezone: 'Europe/Istanbul' },
    '2027-01-15T00:00:00Z',
    ['2027-01-31T05:00:00Z', '2027-02-28T05:00:00Z', '2027-03-31T05:00:00Z', '2027-04-30T05:00:00Z'],
  ],
  [
    'the 29th of February is there in a leap year',
    { frequency: 'monthly', month_day: 30, time_of_day: '23:30', timezone: 'Europe/Berlin' },
    '2028-01-31T00:00:00Z',
    ['2028-02-29T22:30:00Z', '2028-03-30T21:30:00Z'],
  ],
  [
    'the second Tuesday of a month',
    {
      frequency: 'monthly_weekday',
      month_week: 'second',
      month_weekday: 'tue',
      time_of_day: '09:00',
      timezone: 'Europe/Istanbul',
    },
    '2026-11-10T06:00:00Z',
    ['2026-12-08T06:00:00Z', '2027-01-12T06:00:00Z', '2027-02-09T06:00:00Z'],
  ],
  [
    'the last Sunday of a month, at a time that the change leaves out',
    {
      frequency: 'monthly_weekday',
      month_week: 'last',
      month_weekday: 'sun',
      time_of_day: '02:30',
      timezone: 'Europe/Berlin',
    },
    '2026-03-01T00:00:00Z',
    ['2026-03-29T01:30:00Z', '2026-04-26T00:30:00Z', '2026-05-31T00:30:00Z'],
  ],
  [
    'an interval is counted from the start and knows no zones',
    { frequency: 'every', every_minutes: 90, starts_at: '2026-03-28T23:00:00Z', timezone: 'Europe/Berlin' },
    '2026-03-28T23:00:00Z',
    ['2026-03-29T00:30:00Z', '2026-03-29T02:00:00Z', '2026-03-29T03:30:00Z'],
  ],
  [
    'nothing runs before it starts',
    {
      frequency: 'daily',
      time_of_day: '09:00',
      starts_at: '2026-07-10T06:00:01Z',
      timezone: 'Europe/Istanbul',
    },
    '2026-07-01T00:00:00Z',
    ['2026-07-11T06:00:00Z'],
  ],
]
