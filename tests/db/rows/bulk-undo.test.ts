import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Account, createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { insertRow, type Values } from '../support/as-user'

interface Answer {
  id: string
  outcome: string
  reason: { code?: string; hint?: string } | null
}

/** Over the API, as the console does it: each call is a transaction of its own. */
describe.each(drivers())('undoing a bulk edit on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: Account
  let client: SupabaseClient
  let tickets: string[]
  let job: string

  const insert = (table: string, values: Values) =>
    insertRow(backend, table, { company_id: company, ...values })
  const call = async (name: string, args: Record<string, unknown>, as: SupabaseClient = client) => {
    const { data, error } = await as.rpc(name, args)
    return { answers: (data ?? []) as Answer[], code: error?.code, hint: error?.hint }
  }
  const outcomes = ({ answers }: { answers: readonly Answer[] }, ids: readonly string[]) =>
    ids.map((id) => answers.find((row) => row.id === id)?.outcome)
  const edit = (resource: string, ids: readonly string[], changes: unknown, lists: unknown = []) =>
    call('bulk_edit', { resource, ids, changes, lists, job })
  const undo = (resource: string, ids: readonly string[], as?: SupabaseClient) =>
    call('bulk_undo', { resource, ids, job }, as)
  const read = async (column: string, table = 'tickets') =>
    (
      await backend.sql<{ value: unknown }>(
        `select ${column} as value from public.${table} where company_id = $1 order by ${table === 'tickets' ? 'subject' : 'name'}`,
        [company],
      )
    ).map(({ value }) => value)

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    job = randomUUID()
    company = await createCompany(backend)
    admin = await createAccount(backend, 'Admin', company)
    client = await backend.client(admin.email)
    tickets = []
    for (const [subject, description] of [
      ['1', 'first'],
      ['2', 'x'.repeat(3000)],
      ['3', null],
    ] as const)
      tickets.push(await insert('tickets', { subject, description, priority: 'low' }))
  })

  it('puts back what each row held, however long it was', async () => {
    const before = await read('description')
    const changes = { description: null, priority: 'high' }
    expect(outcomes(await edit('tickets', tickets, changes), tickets)).toEqual([
      'changed',
      'changed',
      'changed',
    ])
    expect(await read('description')).toEqual([null, null, null])
    expect(outcomes(await undo('tickets', tickets), tickets)).toEqual(['changed', 'changed', 'changed'])
    expect(await read('description')).toEqual(before)
    expect(await read('priority')).toEqual(['low', 'low', 'low'])
  })

  it('leaves rows alone that the job did not change', async () => {
    await backend.sql(`update public.tickets set priority = 'high' where id = $1`, [tickets[1]])
    expect(outcomes(await edit('tickets', tickets, { priority: 'high' }), tickets)).toEqual([
      'changed',
      'same',
      'changed',
    ])
    const { answers } = await undo('tickets', tickets)
    expect(answers.map(({ id }) => id).sort()).toEqual([tickets[0], tickets[2]].sort())
    expect(await read('priority')).toEqual(['low', 'high', 'low'])
  })

  it('keeps what somebody changed since, and tells of it', async () => {
    await edit('tickets', tickets, { priority: 'high' })
    await backend.sql(`update public.tickets set description = 'later' where id = $1`, [tickets[0]])
    await backend.sql('delete from public.tickets where id = $1', [tickets[2]])
    // The second deletion takes it out of the trash, for good.
    await backend.sql('delete from public.tickets where id = $1', [tickets[2]])
    expect(outcomes(await undo('tickets', tickets), tickets)).toEqual(['stale', 'changed', 'gone'])
    expect(await read('priority')).toEqual(['high', 'low'])
    expect(await read('description')).toEqual(['later', 'x'.repeat(3000)])
  })

  it('answers the same when a call is repeated because its answer was lost', async () => {
    await edit('tickets', tickets, { priority: 'high' })
    expect(outcomes(await edit('tickets', tickets, { priority: 'high' }), tickets)).toEqual([
      'changed',
      'changed',
      'changed',
    ])
    await undo('tickets', tickets)
    await backend.sql(`update public.tickets set description = 'later' where id = $1`, [tickets[0]])
    expect(outcomes(await undo('tickets', tickets), tickets)).toEqual(['changed', 'changed', 'changed'])
    expect(await read('description')).toContain('later')
  })

  it('looks up what it kept by the row first, so that a batch costs the same in a job of any size', async () => {
    const keys = await backend.sql<{ definition: string }>(
      `select pg_get_indexdef(i.indexrelid) as definition from pg_index i
       where i.indrelid = 'app.bulk_change'::regclass and pg_get_indexdef(i.indexrelid) ~ 'job_id'`,
    )
    expect(keys.map(({ definition }) => /\((\w+)/.exec(definition)?.[1])).toEqual(['row_id'])
  })

  it('restores links as they were: those made go, those removed come back', async () => {
    const devices = [await insert('devices', { name: 'a' }), await insert('devices', { name: 'b' })]
    const groups = [await insert('groups', { name: 'Ankara' }), await insert('groups', { name: 'İzmir' })]
    await backend.sql(
      'insert into public.group_devices (company_id, group_id, device_id) values ($1, $2, $3), ($1, $4, $5)',
      [company, groups[0], devices[0], groups[1], devices[1]],
    )
    const links = async () =>
      (
        await backend.sql<{ link: string }>(
          `select d.name || ':' || g.name as link from public.group_devices gd join public.devices d on d.id = gd.device_id
           join public.groups g on g.id = gd.group_id where gd.company_id = $1 order by 1`,
          [company],
        )
      ).map(({ link }) => link)
    const before = await links()
    const lists = [
      {
        through: 'group_devices',
        near: 'device_id',
        far: 'group_id',
        how: 'replace',
        items: [groups[1]],
      },
    ]
    expect(outcomes(await edit('devices', devices, { notes: 'x' }, lists), devices)).toEqual([
      'changed',
      'changed',
    ])
    expect(await links()).toEqual(['a:İzmir', 'b:İzmir'])
    expect(outcomes(await undo('devices', devices), devices)).toEqual(['changed', 'changed'])
    expect(await links()).toEqual(before)
    expect(await read('notes', 'devices')).toEqual([null, null])

    job = randomUUID()
    await edit('devices', devices, {}, lists)
    expect(outcomes(await undo('devices', devices), devices)[0]).toBe('changed')
    expect(await links()).toEqual(before)
  })

  it('refuses a row that can no longer be as it was, and restores the others', async () => {
    const devices = [await insert('devices', { name: 'a' }), await insert('devices', { name: 'b' })]
    const group = await insert('groups', { name: 'Ankara' })
    await backend.sql(
      'insert into public.group_devices (company_id, group_id, device_id) values ($1, $2, $3)',
      [company, group, devices[0]],
    )
    const lists = [
      { through: 'group_devices', near: 'device_id', far: 'group_id', how: 'replace', items: [] },
    ]
    await edit('devices', devices, { notes: 'x' }, lists)
    await backend.sql('delete from public.groups where id = $1', [group])
    const answer = await undo('devices', devices)
    expect(outcomes(answer, devices)).toEqual(['refused', 'changed'])
    expect(answer.answers.find(({ id }) => id === devices[0])?.reason?.code).toBe('23503')
    expect(await read('notes', 'devices')).toEqual(['x', null])
  })

  it('restores accounts, which are a view', async () => {
    const { id } = await createAccount(backend, 'Standard', company)
    expect(outcomes(await edit('users', [id], { role: 'Teknik' }), [id])).toEqual(['changed'])
    expect(outcomes(await undo('users', [id]), [id])).toEqual(['changed'])
    const [row] = await backend.sql('select role from public.user_roles where user_id = $1', [id])
    expect(row).toEqual({ role: 'Standard' })
  })

  it('tells by the values of a table without a version', async () => {
    await backend.sql(
      'create table if not exists public.labels (id uuid primary key default gen_random_uuid(), a text, b text[])',
    )
    await backend.sql('grant select, update on public.labels to authenticated')
    const [first, second] = await backend.sql<{ id: string }>(
      `insert into public.labels (a, b) values ('1', '{x}'), ('1', '{y}') returning id`,
    )
    const ids = [first?.id ?? '', second?.id ?? '']
    const labels = () => backend.sql('select a, b from public.labels where id = any ($1) order by b', [ids])
    const before = await labels()
    await edit('labels', ids, { a: '2' }, [{ field: 'b', how: 'add', items: ['z'] }])
    await backend.sql(`update public.labels set b = '{z}' where id = $1`, [ids[1]])
    expect(outcomes(await undo('labels', ids), ids)).toEqual(['changed', 'stale'])
    expect(await labels()).toEqual([before[0], { a: '2', b: ['z'] }])
  })

  it('is nobody else’s: not a colleague’s, not another company’s, not a stranger’s', async () => {
    await edit('tickets', tickets, { priority: 'high' })
    const colleague = await createAccount(backend, 'Admin', company)
    const foreign = await createAccount(backend, 'Admin', await createCompany(backend))
    for (const { email } of [colleague, foreign])
      expect((await undo('tickets', tickets, await backend.client(email))).answers).toEqual([])
    expect((await undo('tickets', tickets, await backend.client())).code).toBe('42501')
    expect(await read('priority')).toEqual(['high', 'high', 'high'])
  })

  it('needs the right to edit at the time of undoing', async () => {
    await edit('tickets', tickets, { priority: 'high' })
    await backend.sql(`update public.companies set status = 'Expired' where id = $1`, [company])
    expect(await undo('tickets', tickets)).toMatchObject({ code: '42501', hint: 'read-only' })
    await backend.sql(`update public.companies set status = 'Active' where id = $1`, [company])
    await backend.sql(`update public.user_roles set role = 'Standard' where user_id = $1`, [admin.id])
    expect(outcomes(await undo('tickets', tickets), tickets)).toEqual(['gone', 'gone', 'gone'])
    expect(await read('priority')).toEqual(['high', 'high', 'high'])
  })

  it('keeps nothing without a job, and forgets a job after a day', async () => {
    await call('bulk_edit', { resource: 'tickets', ids: tickets, changes: { priority: 'high' } })
    expect(await backend.sql('select 1 from app.bulk_change where actor_id = $1', [admin.id])).toEqual([])
    await edit('tickets', tickets, { priority: 'urgent' })
    await backend.sql(`update app.bulk_change set at = now() - interval '25 hours' where actor_id = $1`, [
      admin.id,
    ])
    await backend.sql('select app.tick()')
    expect((await undo('tickets', tickets)).answers).toEqual([])
  })
})
