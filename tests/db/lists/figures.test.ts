import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser, insertRow, jsonLiteral, literal, type Values } from '../support/as-user'

const DAY_MS = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS)
const dayText = (date: Date) => date.toISOString().slice(0, 10)

describe.each(drivers())('figures of a list on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let admin: string
  let standard: string
  let stranger: string
  let category: string

  const insert = (table: string, values: Values) => insertRow(backend, table, values)
  const ask = (
    who: string | null,
    resource: string,
    figures: unknown,
    { filter = {}, q = '', zone = 'UTC' } = {},
  ) =>
    as(
      who,
      `select public.list_figures(${literal(resource)}, ${jsonLiteral(figures)}, ${jsonLiteral(filter)}, ${literal(q)}, ${literal(zone)}) as figures`,
    )
  const answer = async (...args: Parameters<typeof ask>) => {
    const { data, code, message } = await ask(...args)
    if (!data) throw new Error(`${code} ${message}`)
    return data[0]?.figures as Record<string, unknown>
  }

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    company = await createCompany(backend)
    const other = await createCompany(backend)
    admin = (await createAccount(backend, 'Admin', company)).id
    standard = (await createAccount(backend, 'Standard', company)).id
    stranger = (await createAccount(backend, 'Admin', other)).id
    category = await insert('ticket_categories', { company_id: company, name: 'Ağ' })
    const ticket = (subject: string, more: Values = {}) =>
      insert('tickets', { company_id: company, subject, requester_id: admin, ...more })
    await ticket('ışık bir', { category_id: category, priority: 'urgent', due_at: ago(1).toISOString() })
    await ticket('IŞIK iki', { category_id: category, requester_id: standard })
    await ticket('üç', { due_at: ago(40).toISOString() })
    await insert('tickets', { company_id: other, subject: 'ışık', requester_id: stranger })
    for (const [seats, bought] of [
      [1, 400],
      [5, 3],
      [9, 2],
    ])
      await insert('software_licenses', {
        company_id: company,
        name: `L${seats}`,
        seats,
        purchased_on: dayText(ago(bought ?? 0)),
      })
  })
  afterAll(() => backend?.stop())

  it('counts, sums, averages and takes the middle of numbers', async () => {
    const of = { show: 'number', of: 'seats' }
    expect(
      await answer(admin, 'software_licenses', {
        all: { show: 'number' },
        sum: { ...of, measure: 'sum' },
        average: { ...of, measure: 'average' },
        median: { ...of, measure: 'median', filter: { seats: { _gt: 1 } } },
      }),
    ).toEqual({ all: { value: 3 }, sum: { value: 15 }, average: { value: 5 }, median: { value: 7 } })
  })

  it('counts under the filter and the search of the list', async () => {
    const all = { all: { show: 'number' } }
    expect(await answer(admin, 'tickets', all, { q: 'ışık' })).toEqual({ all: { value: 2 } })
    expect(await answer(admin, 'tickets', all, { filter: { priority: { _eq: 'urgent' } } })).toEqual({
      all: { value: 1 },
    })
  })

  it('gives a share with the whole that it is of', async () => {
    const late = {
      show: 'share',
      filter: { due_at: { _null: false } },
      part: { priority: { _eq: 'urgent' } },
    }
    expect(await answer(admin, 'tickets', { late })).toEqual({ late: { value: 1, of: 2 } })
    expect(await answer(admin, 'tickets', { late }, { q: 'nothing' })).toEqual({ late: { value: 0, of: 0 } })
  })

  it('names the values with most rows first, and the empty one', async () => {
    expect(await answer(admin, 'tickets', { top: { show: 'top', by: 'category_id' } })).toEqual({
      top: [
        { key: category, value: 2 },
        { key: null, value: 1 },
      ],
    })
    expect(await answer(admin, 'tickets', { top: { show: 'top', by: 'category_id', max: 1 } })).toEqual({
      top: [{ key: category, value: 2 }],
    })
  })

  it('counts the days of a series, those without rows too', async () => {
    const { days } = await answer(admin, 'tickets', {
      days: { show: 'series', by: 'due_at', every: 'day', last: 3 },
    })
    expect(days).toEqual([
      { key: dayText(ago(2)), value: null },
      { key: dayText(ago(1)), value: 1 },
      { key: dayText(ago(0)), value: null },
    ])
    const { months } = await answer(admin, 'software_licenses', {
      months: { show: 'series', by: 'purchased_on', every: 'month', last: 2, measure: 'sum', of: 'seats' },
    })
    const sums = (months as { value: number | null }[]).map(({ value }) => value ?? 0)
    expect(sums).toHaveLength(2)
    expect(sums.reduce((one, other) => one + other)).toBe(14)
  })

  it('counts by two fields, with the figures of rows, columns and all', async () => {
    const table = { show: 'table', by: 'category_id', across: 'priority' }
    expect(await answer(admin, 'tickets', { table })).toEqual({
      table: {
        rows: [
          { key: category, value: 2 },
          { key: null, value: 1 },
        ],
        columns: [
          { key: 'normal', value: 2 },
          { key: 'urgent', value: 1 },
        ],
        cells: expect.arrayContaining([
          [category, 'urgent', 1],
          [category, 'normal', 1],
          [null, 'normal', 1],
        ]),
        value: 3,
        of: 2,
      },
    })
    const first = { ...table, max: 1 }
    expect((await answer(admin, 'tickets', { first })).first).toMatchObject({
      rows: [{ key: category, value: 2 }],
      columns: [{ key: 'normal', value: 2 }],
      cells: [[category, 'normal', 1]],
      value: 3,
      of: 2,
    })
    expect((await answer(admin, 'tickets', { table }, { q: 'nothing' })).table).toEqual({
      rows: [],
      columns: [],
      cells: [],
      value: 0,
      of: 0,
    })
  })

  it('gives a table the last periods of a date, and no row from before or after them', async () => {
    const months = {
      show: 'table',
      by: 'name',
      across: 'purchased_on',
      every: 'month',
      last: 2,
      measure: 'average',
      of: 'seats',
    }
    const future = await insert('software_licenses', {
      company_id: company,
      name: 'L99',
      seats: 99,
      purchased_on: dayText(ago(-80)),
    })
    const given = (await answer(admin, 'software_licenses', { months })).months as {
      rows: { key: string; value: number }[]
      columns: { key: string }[]
      cells: [string, string, number][]
      value: number
    }
    expect(given.rows).toEqual([
      { key: 'L9', value: 9 },
      { key: 'L5', value: 5 },
    ])
    expect(given.columns).toHaveLength(2)
    expect(given.columns.at(-1)?.key).toBe(`${dayText(new Date()).slice(0, 7)}-01`)
    expect(given.cells).toHaveLength(2)
    expect(given.value).toBe(7)
    await backend.sql('delete from public.software_licenses where id = $1', [future])
  })

  it('puts a moment on the day that the reader’s clock shows', async () => {
    const days = async (zone: string) => {
      const given = { days: { show: 'series', by: 'due_at', every: 'day', last: 4 } }
      return (await answer(admin, 'tickets', given, { zone })).days as { key: string; value: number | null }[]
    }
    const on = (zone: string) => new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(ago(1))
    const cells = async (zone: string) => {
      const given = { t: { show: 'table', by: 'priority', across: 'due_at', every: 'day', last: 4 } }
      return ((await answer(admin, 'tickets', given, { zone })).t as { cells: unknown[] }).cells
    }
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      expect((await days(zone)).find(({ value }) => value === 1)?.key).toBe(on(zone))
      expect(await cells(zone)).toEqual([['urgent', on(zone), 1]])
    }
  })

  it('counts no row that the caller may not see', async () => {
    const all = { all: { show: 'number' }, top: { show: 'top', by: 'requester_id' } }
    expect(await answer(standard, 'tickets', all)).toEqual({
      all: { value: 1 },
      top: [{ key: standard, value: 1 }],
    })
    const table = { table: { show: 'table', by: 'requester_id', across: 'status' } }
    expect((await answer(standard, 'tickets', table)).table).toMatchObject({
      rows: [{ key: standard, value: 1 }],
      cells: [[standard, 'new', 1]],
      value: 1,
    })
    expect((await ask(standard, 'software_licenses', { t: { ...table.table, by: 'name' } })).code).toBe(
      '42501',
    )
    expect((await answer(stranger, 'tickets', all)).all).toEqual({ value: 1 })
    expect((await ask(standard, 'software_licenses', all)).code).toBe('42501')
    expect((await ask(null, 'tickets', all)).code).toBe('42501')
  })

  it.each([
    ['a figure that does not exist', { a: { show: 'pie' } }],
    ['a measure that does not exist', { a: { show: 'number', measure: 'max', of: 'number' } }],
    ['the sum of a text', { a: { show: 'number', measure: 'sum', of: 'subject' } }],
    ['a field that does not exist', { a: { show: 'top', by: 'subjekt' } }],
    ['a field of another table', { a: { show: 'top', by: 'device_id.name' } }],
    ['a series of a text', { a: { show: 'series', by: 'subject', every: 'day' } }],
    ['a series without a period', { a: { show: 'series', by: 'created_at' } }],
    ['a period that is SQL', { a: { show: 'series', by: 'created_at', every: "day' or true --" } }],
    ['a table by one field', { a: { show: 'table', by: 'status' } }],
    ['a table by a field of another table', { a: { show: 'table', by: 'status', across: 'device_id.name' } }],
    ['the months of a text', { a: { show: 'table', by: 'status', across: 'subject', every: 'month' } }],
    [
      'a period of a table that is SQL',
      { a: { show: 'table', by: 'status', across: 'created_at', every: "'day" } },
    ],
    ['no object', []],
    [
      '25 figures',
      Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`f${index}`, { show: 'number' }])),
    ],
  ])('refuses %s', async (_, figures) => {
    expect((await ask(admin, 'tickets', figures)).code).toBe('22023')
  })

  it('counts the conditions of all figures against one limit', async () => {
    const part = { _or: Array.from({ length: 15 }, (_, index) => ({ subject: { _contains: `x${index}` } })) }
    const figures = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`f${index}`, { show: 'share', filter: {}, part }]),
      )
    expect((await ask(admin, 'tickets', figures(4))).code).toBeUndefined()
    expect((await ask(admin, 'tickets', figures(5))).code).toBe('22023')
  })

  it('refuses an unknown time zone', async () => {
    const series = { a: { show: 'series', by: 'created_at', every: 'day' } }
    expect((await ask(admin, 'tickets', series, { zone: "Mars'" })).code).toBe('22023')
  })
})
