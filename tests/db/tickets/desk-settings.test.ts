import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser, insertInto, literal } from '../support/as-user'

describe.each(drivers())('the settings of the desk on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let admin: string
  let teknik: string
  let standard: string
  let stranger: string

  const one = async <Row>(sql: string, params: readonly unknown[] = []): Promise<Row> => {
    const [row] = await backend.sql<Row>(sql, params)
    if (!row) throw new Error('no row')
    return row
  }
  const add = async (table: string, values: Record<string, unknown>) =>
    (await one<{ id: string }>(`${insertInto(table, { company_id: company, ...values })} returning id`)).id
  const statusOf = async (kind: string) =>
    (
      await one<{ id: string }>(
        'select id from public.ticket_statuses where company_id = $1 and kind = $2 and is_default',
        [company, kind],
      )
    ).id
  const ticket = (values: Record<string, unknown> = {}) =>
    add('tickets', { subject: 'Ticket', requester_id: standard, ...values })
  const read = (id: string) => one<Ticket>('select * from public.tickets where id = $1', [id])

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    company = await createCompany(backend)
    admin = (await createAccount(backend, 'Admin', company)).id
    teknik = (await createAccount(backend, 'Teknik', company)).id
    standard = (await createAccount(backend, 'Standard', company)).id
    stranger = (await createAccount(backend, 'Admin', await createCompany(backend))).id
  })
  afterAll(() => backend?.stop())

  it('are there in every new company, in its language', async () => {
    const turkish = (
      await backend.sql<{ name: string }>(
        'select name from public.ticket_statuses where company_id = $1 order by position',
        [company],
      )
    ).map(({ name }) => name)
    expect(turkish).toEqual(['Yeni', 'Açık', 'Beklemede', 'Çözüldü', 'Kapalı'])
    const abroad = await one<{ id: string }>(
      `insert into public.companies (name, timezone) values ('Abroad', 'Europe/Berlin') returning id`,
    )
    const english = await backend.sql(
      'select name from public.ticket_statuses where company_id = $1 order by position',
      [abroad.id],
    )
    expect(english).toEqual(['New', 'Open', 'Waiting', 'Resolved', 'Closed'].map((name) => ({ name })))
    expect(
      await backend.sql(
        'select close_after_days, reopen_on_reply from public.desk_settings where company_id = $1',
        [abroad.id],
      ),
    ).toEqual([{ close_after_days: 14, reopen_on_reply: true }])
  })

  it('put a new status behind the last one of its kind, and make room for it', async () => {
    const names = async (of: string) =>
      (
        await backend.sql<{ name: string }>(
          'select name from public.ticket_statuses where company_id = $1 order by position, id',
          [of],
        )
      ).map(({ name }) => name)
    const other = await createCompany(backend)
    const [first, ...rest] = await names(other)
    const addTo = (name: string, kind: string, position?: number) =>
      one(
        `insert into public.ticket_statuses (company_id, name, kind, position) values ($1, $2, $3, $4) returning id`,
        [other, name, kind, position ?? null],
      )
    await addTo('At the supplier', 'waiting')
    await addTo('Triage', 'new')
    expect(await names(other)).toEqual([
      first,
      'Triage',
      rest[0],
      rest[1],
      'At the supplier',
      ...rest.slice(2),
    ])
    await addTo('Last', 'open', 900)
    expect((await names(other)).at(-1)).toBe('Last')
  })

  it('keep the status of a ticket and its kind equal, whichever is set', async () => {
    const supplier = await add('ticket_statuses', { name: 'At the supplier', kind: 'waiting' })
    const id = await ticket()
    expect(await read(id)).toMatchObject({ status: 'new', status_id: await statusOf('new') })
    await backend.sql('update public.tickets set status_id = $1 where id = $2', [supplier, id])
    expect(await read(id)).toMatchObject({ status: 'waiting', status_id: supplier })
    await backend.sql(`update public.tickets set status = 'resolved' where id = $1`, [id])
    expect(await read(id)).toMatchObject({ status: 'resolved', status_id: await statusOf('resolved') })
    await backend.sql('update public.tickets set status_id = $1 where id = $2', [supplier, id])
    await backend.sql(`update public.ticket_statuses set kind = 'open' where id = $1`, [supplier])
    expect(await read(id)).toMatchObject({ status: 'open', status_id: supplier })
    const foreign = await one<{ id: string }>(
      `select id from public.ticket_statuses where company_id <> $1 and kind = 'open' limit 1`,
      [company],
    )
    expect(
      await as(
        admin,
        `update public.tickets set status_id = ${literal(foreign.id)} where id = ${literal(id)}`,
      ),
    ).toMatchObject({ code: '23503', constraint: 'tickets_status_id_fkey' })
    expect(
      await as(
        standard,
        `update public.tickets set status_id = ${literal(await statusOf('open'))} where id = ${literal(id)}`,
      ),
    ).toMatchObject({ code: '42501' })
  })

  it('delete a status that tickets have only with one that takes them', async () => {
    const gone = await add('ticket_statuses', { name: 'On hold', kind: 'waiting' })
    const id = await ticket({ status_id: gone })
    const remove = `delete from public.ticket_statuses where id = ${literal(gone)}`
    expect(await as(admin, remove)).toMatchObject({ code: '23514', hint: 'status_in_use' })
    const move = (by: string | null, who = admin) =>
      as(
        who,
        `select public.replace_ticket_status(${literal(gone)}, ${by ? literal(by) : 'null'}) as moved`,
        `select t.status_id, exists (select 1 from public.ticket_statuses s where s.id = ${literal(gone)}) as there
         from public.tickets t where t.id = ${literal(id)}`,
      )
    const open = await statusOf('open')
    expect(await move(null)).toMatchObject({ code: '23514', hint: 'status_to_take' })
    expect(await move(gone)).toMatchObject({ code: '23514', hint: 'status_to_take' })
    expect(await move(open, teknik)).toMatchObject({ code: '42501' })
    expect(await move(open, stranger)).toMatchObject({ code: 'PT404' })
    expect(await move(open)).toMatchObject({
      data: [{ moved: 1 }],
      probe: [{ status_id: open, there: false }],
    })
  })

  it('keep a status and one default of each kind', async () => {
    const only = await statusOf('closed')
    expect(await as(admin, `delete from public.ticket_statuses where id = ${literal(only)}`)).toMatchObject({
      code: '23514',
      hint: 'status_last_of_kind',
    })
    expect(
      await as(admin, `update public.ticket_statuses set kind = 'open' where id = ${literal(only)}`),
    ).toMatchObject({ hint: 'status_last_of_kind' })
    expect(
      await as(admin, `update public.ticket_statuses set is_default = false where id = ${literal(only)}`),
    ).toMatchObject({ hint: 'status_default' })
    const second = await add('ticket_statuses', { name: 'Archived', kind: 'closed', is_default: true })
    expect(
      await backend.sql(
        `select id from public.ticket_statuses where company_id = $1 and kind = 'closed' and is_default`,
        [company],
      ),
    ).toEqual([{ id: second }])
    await backend.sql('delete from public.ticket_statuses where id = $1', [second])
    expect(await statusOf('closed')).toBe(only)
  })

  it('names the day on which business hours overlap', async () => {
    const hours = [hour('1', '09:00', '18:00'), hour('3', '09:00', '12:00'), hour('3', '11:59', '13:00')]
    const given = { company_id: company, name: 'Bad', hours: JSON.stringify(hours) }
    expect(await as(admin, insertInto('business_calendars', given))).toMatchObject({
      hint: 'hours_overlap',
      detail: '{"day": "3"}',
    })
  })

  it.each([
    ['no open hour', { hours: [] }, 'hours_none'],
    [
      'overlapping hours',
      { hours: [hour('1', '09:00', '12:00'), hour('1', '11:59', '13:00')] },
      'hours_overlap',
    ],
    [
      'hours that overlap over midnight',
      { hours: [hour('7', '22:00', '06:00'), hour('1', '05:00', '09:00')] },
      'hours_overlap',
    ],
    ['a day that does not exist', { hours: [hour('8', '09:00', '12:00')] }, 'hours_invalid'],
    ['a time that does not exist', { hours: [hour('1', '25:00', '26:00')] }, 'hours_invalid'],
    ['a holiday that does not exist', { holidays: [{ date: '2026-02-30' }] }, 'holidays_invalid'],
    [
      'a holiday that ends before it begins',
      { holidays: [{ date: '2026-01-01', from: '13:00', until: '12:00' }] },
      'holidays_invalid',
    ],
  ])('refuse a calendar with %s', async (_what, values, hint) => {
    const given = { name: 'Bad', hours: [hour('1', '09:00', '12:00')], ...values }
    const written = Object.fromEntries(
      Object.entries(given).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    )
    expect(
      await as(admin, insertInto('business_calendars', { company_id: company, ...written })),
    ).toMatchObject({
      code: '23514',
      hint,
    })
  })

  it('refuse an unknown time zone, and take a year of holidays', async () => {
    const values = { company_id: company, name: 'Year', hours: JSON.stringify([hour('1', '09:00', '12:00')]) }
    expect(
      await as(admin, insertInto('business_calendars', { ...values, timezone: 'Mars/Olympus' })),
    ).toMatchObject({ code: '23514' })
    const holidays = Array.from({ length: 366 }, (_, day) => ({
      date: new Date(Date.UTC(2028, 0, 1 + day)).toISOString().slice(0, 10),
    }))
    const id = await add('business_calendars', { ...values, holidays: JSON.stringify(holidays) })
    const due = await one<{ due: unknown }>(
      `select app.add_business_time($1, '2028-01-01 00:00+00', 3600) as due`,
      [id],
    )
    // The first Monday after the year, at ten in Istanbul.
    expect(new Date(String(due.due)).toISOString()).toBe('2029-01-01T07:00:00.000Z')
  })

  it('keep what was edited by hand when holidays are filled again', async () => {
    const id = await add('business_calendars', {
      name: 'Holidays',
      hours: JSON.stringify([hour('1', '09:00', '12:00')]),
      holidays: JSON.stringify([{ date: '2030-05-02', name: 'Company day' }]),
    })
    const days = [
      { date: '2030-01-01', name: 'Yılbaşı' },
      { date: '2030-04-23', name: 'Ulusal Egemenlik' },
      { date: '2030-10-28', name: 'Cumhuriyet', from: '13:00', until: '24:00' },
    ]
    const fill = (some: object[]) =>
      `select public.fill_holidays(${literal(id)}, 'TR', null, ${literal(JSON.stringify(some))}::jsonb) as n`
    const probe = `select holidays from public.business_calendars where id = ${literal(id)}`
    const first = await as(admin, fill(days), probe)
    expect(first.data).toEqual([{ n: 4 }])
    expect(first.probe?.[0]?.holidays).toEqual([
      days[0],
      days[1],
      { date: '2030-05-02', name: 'Company day' },
      days[2],
    ])
    // A day was deleted by hand and another renamed; the next fill brings a further year.
    await backend.sql(
      'update public.business_calendars set country = $2, holidays = $3::jsonb, filled_days = $4::jsonb where id = $1',
      [id, 'TR', JSON.stringify([{ date: '2030-01-01', name: 'New Year' }, days[2]]), JSON.stringify(days)],
    )
    const again = await as(admin, fill([...days, { date: '2031-01-01', name: 'Yılbaşı' }]), probe)
    expect(again.probe?.[0]?.holidays).toEqual([
      { date: '2030-01-01', name: 'New Year' },
      days[2],
      { date: '2031-01-01', name: 'Yılbaşı' },
    ])
    expect(await as(teknik, fill(days))).toMatchObject({ code: '42501' })
    expect(await as(stranger, fill(days))).toMatchObject({ code: 'PT404' })
  })

  it('keep own canned replies to their owner, and refuse unknown placeholders', async () => {
    const mine = { company_id: company, name: 'Mine', shortcut: 'mine', body: 'Hi', scope: 'mine' }
    expect((await as(teknik, insertInto('canned_replies', mine))).rows).toBe(1)
    const id = await add('canned_replies', { ...mine, company_id: company, owner_id: teknik })
    const found = `select name from public.canned_replies where id = ${literal(id)}`
    expect((await as(teknik, found)).rows).toBe(1)
    expect((await as(admin, found)).rows).toBe(0)
    expect((await as(standard, found)).rows).toBe(0)
    const edit = `update public.canned_replies set body = 'Taken' where id = ${literal(id)}`
    expect([(await as(teknik, edit)).rows, (await as(admin, edit)).rows]).toEqual([1, 0])
    expect(
      await as(
        admin,
        insertInto('canned_replies', { ...mine, scope: 'shared', body: 'Dear {requester.nam}' }),
      ),
    ).toMatchObject({
      code: '23514',
      hint: 'placeholder_unknown',
      detail: '{"placeholder": "{requester.nam}"}',
    })
  })

  it('fill placeholders in one pass, and keep those that have no value', async () => {
    const reply = await add('canned_replies', {
      name: 'Filled',
      shortcut: 'filled',
      body: 'Dear {requester.name},\n#{ticket.number} on {device.name}. {agent.name}',
    })
    await backend.sql(`update public.profiles set name = '{ticket.number}' where id = $1`, [standard])
    await backend.sql(`update public.profiles set name = 'Deniz' where id = $1`, [teknik])
    const id = await ticket()
    const { number } = await read(id)
    const fill = (who: string) =>
      as(who, `select public.fill_canned_reply(${literal(reply)}, ${literal(id)}) as text`)
    expect((await fill(teknik)).data).toEqual([
      { text: `Dear {ticket.number},\n#${number} on {device.name}. Deniz` },
    ])
    expect(await fill(stranger)).toMatchObject({ code: 'PT404' })
  })

  it('check the answers of a ticket against the form of its category', async () => {
    const fields = [
      { key: 'asset', label: 'Asset', kind: 'text', required: true },
      { key: 'floor', label: 'Floor', kind: 'number' },
      { key: 'size', label: 'Size', kind: 'enum', options: ['S', 'M'] },
    ]
    const category = await add('ticket_categories', { name: 'Form', fields: JSON.stringify(fields) })
    const create = (answers: object) =>
      as(
        standard,
        insertInto('tickets', {
          company_id: company,
          subject: 'Asked',
          category_id: category,
          answers: JSON.stringify(answers),
        }),
      )
    const refused = (field: string, hint = 'answers_invalid') => ({
      code: '23514',
      hint,
      detail: `{"field": "${field}"}`,
    })
    expect(await create({})).toMatchObject(refused('Asset', 'answer_missing'))
    expect(await create({ asset: 'A1', floor: '3' })).toMatchObject(refused('Floor'))
    expect(await create({ asset: 'A1', size: 'XL' })).toMatchObject(refused('Size'))
    expect(await create({ asset: 'A1', color: 'red' })).toMatchObject(refused('color'))
    expect(await create({ asset: 'A\u202e1' })).toMatchObject(refused('Asset'))
    expect(await create({ asset: 'A\n1' })).toMatchObject(refused('Asset'))
    expect(await create({ asset: '\u00a0' })).toMatchObject(refused('Asset'))
    expect((await create({ asset: 'A1', floor: 3, size: 'M' })).rows).toBe(1)
    for (const [what, ...form] of [
      ['a key twice', fields[1], fields[1]],
      ['a hidden character in a label', { ...fields[1], label: 'Flo\u202eor' }],
      ['a label that nobody sees', { ...fields[1], label: '\u3000' }],
      ['a hidden character in a choice', { ...fields[2], options: ['S', 'M\u200b'] }],
      ['a choice that is no text', { ...fields[2], options: ['S', { a: 1 }] }],
      ['an unknown property', { ...fields[1], script: 'x' }],
      ['a word in place of yes or no', { ...fields[1], required: 'yes' }],
    ])
      expect([
        what,
        await as(
          admin,
          insertInto('ticket_categories', { company_id: company, name: 'Odd', fields: JSON.stringify(form) }),
        ),
      ]).toMatchObject([what, { code: '23514' }])
    const desk = await add('ticket_categories', { name: 'Desk only', audience: 'desk' })
    const seen = `select name from public.ticket_categories where id = ${literal(desk)}`
    expect([(await as(standard, seen)).rows, (await as(teknik, seen)).rows]).toEqual([0, 1])
  })
})

interface Ticket {
  number: number
  status: string
  status_id: string
}

const hour = (day: string, from: string, until: string) => ({ day, from, until })
