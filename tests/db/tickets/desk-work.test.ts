import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { insertInto } from '../support/as-user'

/** Round the clock, so that a target is as many minutes of any clock. */
const ALWAYS = JSON.stringify(
  Array.from({ length: 7 }, (_, day) => ({ day: String(day + 1), from: '00:00', until: '24:00' })),
)

describe.each(drivers('locks'))('the work of the desk on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let standard: string
  let first: string
  let second: string

  const one = async <Row>(sql: string, params: readonly unknown[] = []): Promise<Row> => {
    const [row] = await backend.sql<Row>(sql, params)
    if (!row) throw new Error('no row')
    return row
  }
  const add = async (table: string, values: Record<string, unknown>) =>
    (await one<{ id: string }>(`${insertInto(table, { company_id: company, ...values })} returning id`)).id
  const ticket = (values: Record<string, unknown> = {}) =>
    add('tickets', { subject: 'Ticket', requester_id: standard, ...values })
  const read = (id: string) => one<Ticket>('select * from public.tickets where id = $1', [id])
  const change = (id: string, set: string) =>
    backend.sql(`update public.tickets set ${set} where id = $1`, [id])
  const minutesLeft = async (id: string, column: string) =>
    Math.round(
      (
        await one<{ left: number }>(
          `select extract(epoch from ${column} - now())::double precision / 60 as left from public.tickets where id = $1`,
          [id],
        )
      ).left,
    )
  const bells = (person: string) =>
    backend.sql<{ kind: string }>(
      `select kind from public.notifications where user_id = $1 and kind like 'sla%' order by kind`,
      [person],
    )

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    company = await createCompany(backend)
    standard = (await createAccount(backend, 'Standard', company)).id
    const people = [
      (await createAccount(backend, 'Teknik', company)).id,
      (await createAccount(backend, 'Teknik', company)).id,
    ].sort()
    first = people[0] ?? ''
    second = people[1] ?? ''
    await backend.sql(
      `update public.business_calendars set hours = $2::jsonb, holidays = '[]' where company_id = $1 and is_default`,
      [company, ALWAYS],
    )
    await add('sla_policies', {
      name: 'All',
      targets: JSON.stringify([{ priority: 'normal', first_response: 60, solution: 240 }]),
    })
  })
  afterAll(() => backend?.stop())

  it('gives a ticket its targets, and moves them while it waits', async () => {
    const id = await ticket()
    expect([
      await minutesLeft(id, 'first_response_due_at'),
      await minutesLeft(id, 'solution_due_at'),
    ]).toEqual([60, 240])
    expect(await read(id)).toMatchObject({ sla_state: 'ok', status: 'new', paused_at: null })
    await change(id, `status = 'waiting'`)
    expect((await read(id)).paused_at).not.toBeNull()
    // It has waited for half an hour.
    await change(
      id,
      `created_at = created_at - interval '50 minutes', paused_at = paused_at - interval '30 minutes'`,
    )
    await change(id, `status = 'open'`)
    expect(await read(id)).toMatchObject({ paused_at: null, paused_seconds: expect.anything() })
    expect(Number((await read(id)).paused_seconds)).toBe(1800)
    expect([
      await minutesLeft(id, 'first_response_due_at'),
      await minutesLeft(id, 'solution_due_at'),
    ]).toEqual([40, 220])
  })

  it('takes a date typed by hand before the target', async () => {
    const id = await ticket({ due_at: new Date(Date.now() + 30 * 60_000).toISOString() })
    expect(await minutesLeft(id, 'solution_due_at')).toBe(30)
    await change(id, 'due_at = null')
    expect(await minutesLeft(id, 'solution_due_at')).toBe(240)
    await change(id, `priority = 'low'`)
    expect(await read(id)).toMatchObject({ solution_due_at: null, sla_state: 'none' })
  })

  it('warns the desk at three quarters of a target, and says when it is missed', async () => {
    const id = await ticket({ subject: 'Late' })
    await change(id, `created_at = now() - interval '46 minutes', sla_next_at = now() - interval '1 minute'`)
    await backend.sql('select app.watch_sla()')
    expect(await read(id)).toMatchObject({ sla_state: 'warning' })
    expect(await bells(first)).toEqual([{ kind: 'sla_warning' }])
    expect(await bells(standard)).toEqual([])
    await change(id, `created_at = now() - interval '61 minutes', sla_next_at = now() - interval '1 minute'`)
    await backend.sql('select app.watch_sla()')
    expect(await read(id)).toMatchObject({ sla_state: 'breached' })
    expect(await bells(first)).toEqual([{ kind: 'sla_breached' }, { kind: 'sla_warning' }])
    await change(id, `status = 'resolved'`)
    expect(await read(id)).toMatchObject({ sla_state: 'breached', sla_next_at: null })
    const kept = await ticket()
    await change(kept, `status = 'resolved'`)
    expect(await read(kept)).toMatchObject({ sla_state: 'met' })
  })

  it('opens a new ticket and stamps the first response with the first reply of the desk', async () => {
    const id = await ticket()
    const reply = (author: string, minutes: number) =>
      backend.sql(`select app.note_ticket_reply($1, $2, $3, now() + make_interval(mins => $4))`, [
        company,
        id,
        author,
        minutes,
      ])
    await reply(standard, 0)
    expect(await read(id)).toMatchObject({ status: 'new', first_responded_at: null })
    await reply(first, 5)
    const responded = await read(id)
    expect(responded).toMatchObject({ status: 'open' })
    expect(responded.first_responded_at).not.toBeNull()
    await reply(second, 9)
    expect((await read(id)).first_responded_at).toEqual(responded.first_responded_at)
    await change(id, `status = 'waiting'`)
    await reply(standard, 10)
    expect(await read(id)).toMatchObject({ status: 'open' })
    await change(id, `status = 'closed'`)
    await reply(standard, 11)
    expect(await read(id)).toMatchObject({ status: 'open' })
    await change(id, `status = 'resolved'`)
    await backend.sql('update public.desk_settings set reopen_on_reply = false where company_id = $1', [
      company,
    ])
    await reply(standard, 12)
    expect(await read(id)).toMatchObject({ status: 'resolved' })
    await backend.sql('update public.desk_settings set reopen_on_reply = true where company_id = $1', [
      company,
    ])
  })

  it('closes a ticket that has been resolved for as many days as the company says', async () => {
    const id = await ticket()
    const young = await ticket()
    for (const each of [id, young]) await change(each, `status = 'resolved'`)
    await change(id, `resolved_at = now() - interval '15 days'`)
    await change(young, `resolved_at = now() - interval '13 days'`)
    await backend.sql('select app.close_resolved()')
    expect([(await read(id)).status, (await read(young)).status]).toEqual(['closed', 'resolved'])
  })

  it('counts open tickets again after a changed calendar, in batches', async () => {
    const id = await ticket()
    await backend.sql(
      `update public.business_calendars set holidays = jsonb_build_array(jsonb_build_object('date', to_char(now() at time zone timezone + interval '1 hour', 'YYYY-MM-DD')),
         jsonb_build_object('date', to_char(now() at time zone timezone + interval '1 day', 'YYYY-MM-DD')),
         jsonb_build_object('date', to_char(now() at time zone timezone, 'YYYY-MM-DD'))) where company_id = $1 and is_default`,
      [company],
    )
    for (let round = 0; round < 50; round += 1) {
      const { done } = await one<{ done: number }>('select app.recount_sla(2) as done')
      if (done === 0) break
    }
    expect(await minutesLeft(id, 'solution_due_at')).toBeGreaterThan(240)
    expect(await backend.sql('select 1 from app.sla_recounts where company_id = $1', [company])).toEqual([])
    await backend.sql(
      `update public.business_calendars set holidays = '[]' where company_id = $1 and is_default`,
      [company],
    )
  })

  it('counts open tickets again in the order of their numbers, past those that are closed or in the trash', async () => {
    const made: string[] = []
    for (let count = 0; count < 6; count += 1) made.push(await ticket())
    const [closed, trashed, ...open] = made as [string, string, ...string[]]
    await change(closed, `status = 'closed'`)
    await change(trashed, 'deleted_at = now()')
    const wrong = `sla_state = 'warning', sla_next_at = null`
    for (const id of made) await change(id, wrong)
    const { before } = await one<{ before: number }>(
      'select min(number) - 1 as before from public.tickets where id = any ($1)',
      [made],
    )
    await backend.sql(
      `insert into app.sla_recounts (company_id, after_number) values ($1, $2)
       on conflict (company_id) do update set after_number = excluded.after_number`,
      [company, before],
    )
    const counted = async () => {
      const rows = await backend.sql<{ id: string }>(
        `select id from public.tickets where id = any ($1) and sla_next_at is not null order by number`,
        [made],
      )
      return rows.map(({ id }) => id)
    }
    expect(await one('select app.recount_sla(2) as done')).toEqual({ done: 2 })
    expect(await counted()).toEqual(open.slice(0, 2))
    expect(await one('select app.recount_sla(2) as done')).toEqual({ done: 2 })
    expect(await counted()).toEqual(open)
    expect(await one('select app.recount_sla(2) as done')).toEqual({ done: 0 })
    expect(await backend.sql('select 1 from app.sla_recounts where company_id = $1', [company])).toEqual([])
  })

  it('counts each ticket by the policy of its category, and leaves its version and time as they are', async () => {
    const category = await add('ticket_categories', { name: 'Fast' })
    // Not today, so that no minute of the target has passed.
    const day = String(((new Date().getUTCDay() + 3) % 7) + 1)
    const hours = JSON.stringify([{ day, from: '09:00', until: '10:00' }])
    const calendar = await add('business_calendars', { name: 'Rare', hours })
    const policy = await add('sla_policies', {
      name: 'Fast',
      category_id: category,
      calendar_id: calendar,
      targets: JSON.stringify([{ priority: 'normal', first_response: 30, solution: 50 }]),
    })
    const fast = await ticket({ category_id: category })
    const slow = await ticket()
    const paused = await ticket()
    const typed = await ticket({ due_at: '2030-01-01T00:00:00Z' })
    await change(paused, `status = 'waiting', created_at = now() - interval '50 minutes'`)
    await change(paused, `paused_at = now() - interval '30 minutes'`)
    await change(paused, `status = 'open'`)
    const ids = [fast, slow, paused, typed]
    const kept =
      'select id, version, updated_at::text, search from public.tickets where id = any ($1) order by id'
    const before = await backend.sql(kept, [ids])
    await backend.sql(
      `update public.sla_policies set targets = jsonb_set(targets, '{0,solution}', to_jsonb((targets #>> '{0,solution}')::integer - 20)) where company_id = $1`,
      [company],
    )
    for (let round = 0; round < 50; round += 1)
      if ((await one<{ done: number }>('select app.recount_sla() as done')).done === 0) break
    expect(await minutesLeft(slow, 'solution_due_at')).toBe(220)
    expect(await minutesLeft(paused, 'solution_due_at')).toBe(200)
    const due = async (id: string) => {
      const { solution_due_at, sla_policy_id } = await read(id)
      return [new Date(String(solution_due_at)).toISOString(), sla_policy_id]
    }
    expect((await due(fast))[0]).toMatch(/T\d\d:30:00\.000Z$/)
    expect((await due(fast))[1]).toBe(policy)
    expect((await due(typed))[0]).toBe('2030-01-01T00:00:00.000Z')
    expect(await backend.sql(kept, [ids])).toEqual(before)
    await backend.sql('delete from public.sla_policies where id = $1', [policy])
    await backend.sql('select app.recount_sla()')
  })

  it('writes the words of a ticket into the index when they change, and not when its clock does', async () => {
    const id = await ticket({ subject: 'Çağrı toner' })
    const entry = () =>
      backend.sql<{ search: string; place: string }>(
        'select search, xmin::text as place from app.tickets_search where company_id = $1 and id = $2',
        [company, id],
      )
    const [made] = await entry()
    expect(made?.search).toMatch(/^#\d+ cagri toner /)
    await change(id, `sla_next_at = now(), status = 'open'`)
    expect(await entry()).toEqual([made])
    await change(id, `subject = 'Kâğıt'`)
    const [changed] = await entry()
    expect(changed?.search).toMatch(/^#\d+ kagit /)
    expect(
      (await one<{ search: string }>('select search from public.tickets where id = $1', [id])).search,
    ).toBe(changed?.search)
    // The first deletion moves the ticket to the trash.
    await backend.sql('delete from public.tickets where id = $1', [id])
    await backend.sql('delete from public.tickets where id = $1', [id])
    expect(await entry()).toEqual([])
  })
})

interface Ticket {
  id: string
  status: string
  first_responded_at: unknown
  paused_at: unknown
  paused_seconds: unknown
  solution_due_at: unknown
  sla_policy_id: string | null
}
