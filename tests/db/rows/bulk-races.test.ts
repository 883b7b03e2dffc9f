import type { SupabaseClient } from '@supabase/supabase-js'
import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Account, createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { insertRow, type Values } from '../support/as-user'

interface Answer {
  id: string
  outcome: string
  reason: { code?: string; hint?: string } | null
}

/** Changes between finding the rows and writing them, over the API as the console makes them. */
describe.each(drivers('locks'))('a bulk job that others come in between, on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: Account
  let client: SupabaseClient
  let licenses: string[]
  let tickets: string[]

  const insert = (table: string, values: Values) =>
    insertRow(backend, table, { company_id: company, ...values })
  const call = async (name: string, args: Record<string, unknown>) => {
    const { data, error } = await client.rpc(name, args)
    return { answers: (data ?? []) as Answer[], code: error?.code, hint: error?.hint }
  }
  const find = async (resource: string, filter: unknown): Promise<string[]> =>
    (await client.rpc('matching_ids', { resource, filter })).data ?? []
  const outcomes = (answers: readonly Answer[], ids: readonly (string | undefined)[]) =>
    ids.map((id) => answers.find((row) => row.id === id)?.outcome)
  const edit = (ids: readonly string[], changes: unknown) =>
    call('bulk_edit', { resource: 'software_licenses', ids, changes })
  const act = (status: string, condition: unknown, ids = tickets) =>
    call('bulk_act', {
      resource: 'tickets',
      ids,
      act: 'set_ticket_status',
      argument: 'ids',
      args: { status },
      condition,
    })
  const statuses = async () =>
    (
      await backend.sql<{ status: string }>(
        'select status from public.tickets where company_id = $1 order by subject',
        [company],
      )
    ).map(({ status }) => status)
  const setRole = (role: string) =>
    backend.sql('update public.user_roles set role = $2 where user_id = $1', [admin.id, role])
  const setLicense = (status: string) =>
    backend.sql('update public.companies set status = $2 where id = $1', [company, status])

  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    company = await createCompany(backend)
    admin = await createAccount(backend, 'Admin', company)
    client = await backend.client(admin.email)
    licenses = []
    tickets = []
    for (const name of ['1', '2', '3']) {
      licenses.push(await insert('software_licenses', { name, publisher: 'Old' }))
      tickets.push(await insert('tickets', { subject: name }))
    }
  })

  // Only PostgreSQL has a second session that could wait.
  it.runIf(driver === 'postgres')('locks its rows in the order in which all others lock them', async () => {
    // In the table the last id comes first.
    const [low, high] = ['00000000-0000-4000-8000-000000000001', 'ffffffff-ffff-4fff-bfff-ffffffffffff']
    for (const id of [high, low]) await insert('software_licenses', { id, name: id, publisher: 'Old' })
    const job = crypto.randomUUID()
    const other = postgres(backend.databaseUrl ?? '', { max: 1 })
    const between = async (write: () => Promise<{ answers: Answer[]; code: string | undefined }>) => {
      const { waiting } = await other.begin(async (sql) => {
        const lock = (id: string) => sql`select 1 from public.software_licenses where id = ${id} for update`
        await lock(low)
        const waiting = write()
        await expect.poll(() => backend.sql(`select 1 from pg_locks where not granted`)).not.toHaveLength(0)
        await lock(high)
        return { waiting }
      })
      const { answers, code } = await waiting
      expect(code).toBeUndefined()
      expect(outcomes(answers, [low, high])).toEqual(['changed', 'changed'])
    }
    const ids = [high, low]
    try {
      await between(() =>
        call('bulk_edit', { resource: 'software_licenses', ids, changes: { publisher: 'New' }, job }),
      )
      await between(() => call('bulk_undo', { resource: 'software_licenses', ids, job }))
    } finally {
      await other.end()
    }
  })

  it('tells of a row that was deleted meanwhile', async () => {
    const found = await find('software_licenses', { publisher: { _eq: 'Old' } })
    expect(found).toHaveLength(3)
    await backend.sql('delete from public.software_licenses where id = $1', [licenses[1]])
    const { answers } = await edit(found, { publisher: 'New' })
    expect(outcomes(answers, licenses)).toEqual(['changed', 'gone', 'changed'])
    await backend.sql('delete from public.tickets where id = $1', [tickets[0]])
    expect(outcomes((await act('resolved', {})).answers, tickets)).toEqual(['gone', 'changed', 'changed'])
    await backend.sql('delete from public.tickets where id = $1', [tickets[1]])
    const { answers: removed } = await call('bulk_delete', { resource: 'tickets', ids: tickets })
    expect(outcomes(removed, tickets)).toEqual(['gone', 'gone', 'deleted'])
  })

  it('is refused as a whole once the role or the license no longer allows it, and keeps what was done', async () => {
    const [first = '', ...rest] = licenses
    expect(outcomes((await edit([first], { publisher: 'New' })).answers, [first])).toEqual(['changed'])
    await setRole('Standard')
    expect(await edit(rest, { publisher: 'New' })).toMatchObject({ code: '42501', hint: 'role' })
    expect(await act('resolved', {})).toMatchObject({ code: '42501', hint: 'role' })
    await setRole('Admin')
    await setLicense('Expired')
    expect(await edit(rest, { publisher: 'New' })).toMatchObject({ code: '42501', hint: 'read-only' })
    expect(await act('resolved', {})).toMatchObject({ code: '42501', hint: 'read-only' })
    await setLicense('Active')
    expect(outcomes((await edit(rest, { publisher: 'New' })).answers, rest)).toEqual(['changed', 'changed'])
    expect(await statuses()).toEqual(['new', 'new', 'new'])
  })

  it('tells of a row that went to where the caller does not see it', async () => {
    await setRole('Standard')
    const mine = await insert('tickets', { subject: 'mine', requester_id: admin.id })
    const found = await find('tickets', {})
    expect(found).toEqual([mine])
    await backend.sql('update public.tickets set requester_id = null where id = $1', [mine])
    const { answers } = await call('bulk_edit', {
      resource: 'tickets',
      ids: found,
      changes: { subject: 'x' },
    })
    expect(outcomes(answers, found)).toEqual(['gone'])
  })

  it('edits what was found, whether or not the filter still finds it', async () => {
    const found = await find('software_licenses', { publisher: { _eq: 'Old' } })
    await backend.sql(`update public.software_licenses set publisher = 'Other' where id = $1`, [licenses[2]])
    await backend.sql(`update public.software_licenses set publisher = 'New' where id = $1`, [licenses[1]])
    expect(outcomes((await edit(found, { publisher: 'New' })).answers, licenses)).toEqual([
      'changed',
      'same',
      'changed',
    ])
  })

  it('asks again, row by row, whether an action is still possible', async () => {
    const isOpen = { status: { _in: ['new', 'open', 'waiting'] } }
    expect(await find('tickets', isOpen)).toHaveLength(3)
    await backend.sql(`update public.tickets set status = 'closed' where id = $1`, [tickets[1]])
    const { answers } = await act('resolved', isOpen)
    expect(outcomes(answers, tickets)).toEqual(['changed', 'refused', 'changed'])
    expect(answers.find(({ id }) => id === tickets[1])?.reason?.code).toBe('PT412')
    expect(await statuses()).toEqual(['resolved', 'closed', 'resolved'])
  })

  it('finds the row that blocks an action, and does the others', async () => {
    const teknik = (await createAccount(backend, 'Teknik', company)).id
    const other = await createCompany(backend)
    const stranger = (await createAccount(backend, 'Teknik', other)).id
    const people = [admin.id, teknik, stranger]
    const { answers } = await call('bulk_act', { resource: 'users', ids: people, act: 'deactivate_users' })
    expect(outcomes(answers, people)).toEqual(['refused', 'changed', 'gone'])
    expect(answers.find(({ id }) => id === admin.id)?.reason?.code).toBe('23514')
    const again = await call('bulk_act', { resource: 'users', ids: [teknik], act: 'deactivate_users' })
    expect(outcomes(again.answers, [teknik])).toEqual(['same'])
  })

  it.each([
    ['an unknown function', { act: 'nothing' }],
    ['a private function', { act: 'can' }],
    ['a function by its schema', { act: 'app.end_sessions' }],
    ['SQL for a function', { act: 'set_ticket_status(null, null); --' }],
    ['an unknown argument', { argument: 'status' }],
    ['an unknown argument', { args: { state: 'open' } }],
    ['the rows twice', { args: { status: 'open', ids: [] } }],
    ['a function that only the server may call', { act: 'tick' }],
    ['an unknown table', { resource: 'policy_rule' }],
    [
      'itself',
      {
        act: 'bulk_act',
        args: { resource: 'tickets', act: 'set_ticket_status', args: { status: 'resolved' } },
      },
    ],
    ['an invalid condition', { condition: { nothing: { _eq: 1 } } }],
  ])('never runs %s', async (_what, change) => {
    const { code } = await call('bulk_act', {
      resource: 'tickets',
      ids: tickets,
      act: 'set_ticket_status',
      argument: 'ids',
      args: { status: 'resolved' },
      ...change,
    })
    expect(code).toBe('22023')
    expect(await statuses()).toEqual(['new', 'new', 'new'])
  })

  it('passes values as values, and refuses each row that a rule stands against', async () => {
    const { answers } = await act(`x'); drop table public.tickets; --`, {})
    expect(outcomes(answers, tickets)).toEqual(['refused', 'refused', 'refused'])
    expect(await statuses()).toEqual(['new', 'new', 'new'])
    const many = Array.from({ length: 1001 }, () => tickets[0] ?? '')
    expect((await act('resolved', {}, many)).code).toBe('22023')
  })

  it('is nothing for who has not signed in', async () => {
    const anonymous = await backend.client()
    for (const [name, args] of [
      ['bulk_act', { resource: 'tickets', ids: tickets, act: 'set_ticket_status' }],
      ['bulk_edit', { resource: 'tickets', ids: tickets, changes: { subject: 'x' } }],
      ['record_titles', { wanted: {} }],
    ] as const)
      expect((await anonymous.rpc(name, args)).error?.code).toBe('42501')
  })
})
