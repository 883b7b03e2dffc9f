import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestBackend, testBackend } from '../../support/backend'
import { patience } from '../../support/patience'

/** A word of devices and tickets of others: nothing of it may be in any answer to a requester. */
const SECRET = `gizli${randomUUID().slice(0, 8)}`

let backend: TestBackend
let requester: SupabaseClient
let desk: SupabaseClient
let admin: SupabaseClient
let stranger: SupabaseClient
let acme: string
let globex: string
const devices: Record<string, string> = {}
const tickets: Record<string, string> = {}
const people = new Map<string, string>()
let attempts = 0

const one = async <R>(query: string, params: unknown[] = []) => (await backend.sql<R>(query, params))[0] as R
const made = async (query: string, params: unknown[] = []) => (await one<{ id: string }>(query, params)).id

beforeAll(async () => {
  backend = await testBackend()
  ;[requester, desk, admin, stranger] = (await Promise.all(
    ['standard@acme.test', 'teknik@acme.test', 'admin@acme.test', 'admin@globex.test'].map((email) =>
      backend.client(email),
    ),
  )) as [SupabaseClient, SupabaseClient, SupabaseClient, SupabaseClient]
  for (const { id, email } of await backend.sql<{ id: string; email: string }>(
    'select id, email from public.profiles',
  ))
    people.set(email, id)
  acme = await made('select id from public.companies where name = $1', ['Acme'])
  globex = await made('select id from public.companies where name = $1', ['Globex'])
  const device = (company: string, name: string, owner: string | null) =>
    made('insert into public.devices (company_id, name, owner_id) values ($1, $2, $3) returning id', [
      company,
      name,
      owner,
    ])
  devices.own = await device(acme, 'Own laptop', people.get('standard@acme.test') ?? null)
  devices.other = await device(acme, `Other ${SECRET}`, people.get('teknik@acme.test') ?? null)
  devices.free = await device(acme, `Free ${SECRET}`, null)
  devices.foreign = await device(globex, `Foreign ${SECRET}`, people.get('admin@globex.test') ?? null)
  const ticket = (company: string, email: string, status: string) =>
    made(
      'insert into public.tickets (company_id, subject, requester_id, status) values ($1, $2, $3, $4) returning id',
      [company, `Ticket ${email === 'standard@acme.test' ? 'own' : SECRET}`, people.get(email), status],
    )
  tickets.resolved = await ticket(acme, 'standard@acme.test', 'resolved')
  tickets.open = await ticket(acme, 'standard@acme.test', 'open')
  tickets.other = await ticket(acme, 'admin@acme.test', 'resolved')
  tickets.foreign = await ticket(globex, 'admin@globex.test', 'resolved')
  // The requester watches it: they see it, and it is not theirs to rate.
  tickets.watched = await ticket(acme, 'teknik@acme.test', 'resolved')
  await backend.sql(
    'insert into public.ticket_watchers (company_id, ticket_id, user_id) values ($1, $2, $3)',
    [acme, tickets.watched, people.get('standard@acme.test')],
  )
}, patience(120_000))
afterAll(async () => {
  console.log(`a requester at devices, ratings and tickets of others: ${attempts} attempts`)
  expect(attempts).toBeGreaterThanOrEqual(40)
  await backend?.stop()
})

describe('a requester', () => {
  it('picks a device of their own in a new ticket', async () => {
    const { data } = await requester.rpc('my_devices')
    expect(data).toContainEqual({ id: devices.own, name: 'Own laptop' })
    const created = await requester
      .from('tickets')
      .insert({ company_id: acme, subject: 'With a device', device_id: devices.own })
      .select('device_id')
      .single()
    expect(created.error).toBeNull()
    expect(created.data).toEqual({ device_id: devices.own })
  })

  it('no longer picks a device once it is noted for somebody else', async () => {
    const moved = await made(
      'insert into public.devices (company_id, name, owner_id) values ($1, $2, $3) returning id',
      [acme, 'Moved', people.get('standard@acme.test')],
    )
    const mine = async () =>
      ((await requester.rpc('my_devices')).data as { id: string }[]).map(({ id }) => id)
    expect(await mine()).toContain(moved)
    const edit = await admin
      .from('devices')
      .update({ owner_id: people.get('admin@acme.test') })
      .eq('id', moved)
      .select('id')
    expect(edit.data).toHaveLength(1)
    expect(await mine()).not.toContain(moved)
  })

  it('rates a resolved ticket with one press, changes it and adds a note, which the desk reads', async () => {
    expect((await requester.rpc('rate_ticket', { id: tickets.resolved, rating: 3 })).data).toBe(1)
    expect(
      (await requester.rpc('rate_ticket', { id: tickets.resolved, rating: 5, note: ' Quick ' })).data,
    ).toBe(1)
    const seen = await desk.from('tickets').select('rating,rating_note').eq('id', tickets.resolved).single()
    expect(seen.data).toEqual({ rating: 5, rating_note: 'Quick' })
    // Another star keeps the note.
    await requester.rpc('rate_ticket', { id: tickets.resolved, rating: 4 })
    expect(
      (await desk.from('tickets').select('rating,rating_note').eq('id', tickets.resolved).single()).data,
    ).toEqual({
      rating: 4,
      rating_note: 'Quick',
    })
  })

  it('neither rates nor reopens a ticket that was merged: its answer is in the other one', async () => {
    const { data: target } = await requester
      .from('tickets')
      .insert({ company_id: acme, subject: 'Other' })
      .select()
      .single()
    const { data: merged } = await requester
      .from('tickets')
      .insert({ company_id: acme, subject: 'Merged' })
      .select()
      .single()
    expect((await desk.rpc('merge_tickets', { ids: [merged.id], target_id: target.id })).error).toBeNull()
    for (const answer of [
      await requester.rpc('rate_ticket', { id: merged.id, rating: 5 }),
      await requester.rpc('set_own_ticket_status', { ids: [merged.id], status: 'open' }),
    ])
      expect(answer.error).toMatchObject({ code: 'PT412', hint: 'ticket_moved' })
  })

  it('does not rate a ticket that is not resolved, nor beyond five', async () => {
    const early = await requester.rpc('rate_ticket', { id: tickets.open, rating: 5 })
    expect(early.error).toMatchObject({ code: 'PT412', hint: 'ticket_moved' })
    for (const rating of [0, 6, -1])
      expect((await requester.rpc('rate_ticket', { id: tickets.resolved, rating })).error?.code).toBe('23514')
  })

  it('closes a ticket of their own and opens it again within the days of the desk', async () => {
    const mine = await made(
      `insert into public.tickets (company_id, subject, requester_id) values ($1, 'Solved by itself', $2) returning id`,
      [acme, people.get('standard@acme.test')],
    )
    const set = (status: string) => requester.rpc('set_own_ticket_status', { ids: [mine], status })
    const status = async () =>
      (await one<{ status: string }>('select status from public.tickets where id = $1', [mine])).status
    expect((await set('closed')).data).toBe(1)
    expect(await status()).toBe('closed')
    expect((await set('closed')).error).toMatchObject({ code: 'PT412' })
    expect((await set('open')).data).toBe(1)
    expect(await status()).toBe('open')
    expect((await set('waiting')).error?.code).toBe('22023')
    await set('closed')
    await backend.sql(`update public.tickets set resolved_at = now() - interval '100 days' where id = $1`, [
      mine,
    ])
    expect((await set('open')).error).toMatchObject({ code: 'PT412', hint: 'ticket_moved' })
    expect(await status()).toBe('closed')
  })
})

interface Answer {
  data: unknown
  error: unknown
  count?: number | null
}

function expectNothing(what: string, { data, error, count }: Answer): void {
  attempts++
  const text = JSON.stringify([data, error, count ?? null])
  expect(text, what).not.toContain(SECRET)
}

describe('a requester reaches', () => {
  it('no device of others, by name, by a ticket or by an edit', async () => {
    const ids = [devices.other, devices.free, devices.foreign] as string[]
    expectNothing('my_devices', await requester.rpc('my_devices'))
    expectNothing('devices', await requester.from('devices').select('*'))
    expectNothing('own device by REST', await requester.from('devices').select('*').eq('id', devices.own))
    expectNothing(
      'devices by owner',
      await requester.from('devices').select('*').eq('owner_id', people.get('standard@acme.test')),
    )
    expectNothing(
      'from tickets',
      await requester
        .from('tickets')
        .select('subject, devices(name)')
        .eq('requester_id', people.get('standard@acme.test')),
    )
    for (const id of ids) {
      attempts += 2
      const created = await requester
        .from('tickets')
        .insert({ company_id: acme, subject: 'Pry', device_id: id })
        .select('id')
      expect(created.error).toMatchObject({ code: '42501' })
      const moved = await requester
        .from('tickets')
        .update({ device_id: id })
        .eq('id', tickets.open)
        .select('id')
      expect(moved.error).toMatchObject({ code: '42501' })
    }
    attempts += 2
    const taken = await requester
      .from('devices')
      .update({ owner_id: people.get('standard@acme.test') })
      .in('id', ids)
      .select('id')
    expect(taken.error?.code ?? taken.data).toEqual('42501')
    // A person of another company is answered like nobody.
    const foreigner = await admin
      .from('devices')
      .update({ owner_id: people.get('admin@globex.test') })
      .eq('id', devices.free)
    const nobody = await admin.from('devices').update({ owner_id: randomUUID() }).eq('id', devices.free)
    expect([foreigner.error?.code, nobody.error?.code]).toEqual(['23503', '23503'])
    expect(await backend.sql('select device_id from public.tickets where id = $1', [tickets.open])).toEqual([
      { device_id: null },
    ])
  })

  it('no rating and no status of tickets that are not theirs, and nobody else writes a rating', async () => {
    const read = () => backend.sql('select id, status, rating, rating_note from public.tickets order by id')
    const before = await read()
    for (const id of [tickets.other, tickets.foreign, tickets.watched, randomUUID()]) {
      attempts += 3
      expect((await requester.rpc('rate_ticket', { id, rating: 1 })).error).toMatchObject({ code: 'PT404' })
      for (const status of ['closed', 'open'])
        expect((await requester.rpc('set_own_ticket_status', { ids: [id], status })).error).toMatchObject({
          code: 'PT404',
        })
    }
    const tried: [string, PromiseLike<Answer>][] = [
      ['the desk rates', desk.rpc('rate_ticket', { id: tickets.resolved, rating: 5 })],
      ['an admin rates', admin.rpc('rate_ticket', { id: tickets.resolved, rating: 5 })],
      ['another company rates', stranger.rpc('rate_ticket', { id: tickets.resolved, rating: 1 })],
      ['nobody rates', (await backend.client()).rpc('rate_ticket', { id: tickets.resolved, rating: 1 })],
      ['the desk by REST', desk.from('tickets').update({ rating: 5 }).eq('id', tickets.resolved)],
      ['the requester by REST', requester.from('tickets').update({ rating: 5 }).eq('id', tickets.open)],
      ['in a new ticket', requester.from('tickets').insert({ company_id: acme, subject: 'x', rating: 5 })],
      [
        'by bulk',
        desk.rpc('bulk_edit', { resource: 'tickets', ids: [tickets.resolved], changes: { rating: 5 } }),
      ],
      [
        'the desk closes as a requester',
        desk.rpc('set_own_ticket_status', { ids: [tickets.resolved], status: 'closed' }),
      ],
    ]
    for (const [how, query] of tried) expectNothing(how, await query)
    expect(await read()).toEqual(before)
  })
})

describe('a watcher', () => {
  it('reads and answers a ticket, and changes nothing of it', async () => {
    const id = tickets.watched ?? ''
    const { data: before } = await requester.from('tickets').select('*').eq('id', id).single()
    expect(before).not.toBeNull()
    for (const change of [
      { subject: 'Mine now' },
      { description: 'x' },
      { category_id: null },
      { device_id: devices.own },
      { requester_id: people.get('standard@acme.test') },
      { status: 'closed' },
      { priority: 'high' },
    ]) {
      attempts += 1
      const { data, error } = await requester.from('tickets').update(change).eq('id', id).select('id')
      expect([change, error?.code ?? data]).toEqual([change, error ? '42501' : []])
    }
    for (const [name, args] of [
      ['bulk_edit', { resource: 'tickets', ids: [id], changes: { subject: 'x' } }],
      ['save_rows', { resource: 'tickets', rows: [{ id, version: null, changes: { subject: 'x' } }] }],
    ] as const) {
      attempts += 1
      const { data } = await requester.rpc(name, args)
      expect(['gone', 'refused']).toContain((data as { outcome: string }[])[0]?.outcome)
    }
    for (const status of ['closed', 'open']) {
      attempts += 1
      const { data, error } = await requester.rpc('set_own_ticket_status', { ids: [id], status })
      expect(error?.code ?? data).toBe('PT404')
    }
    attempts += 2
    const files = { company_id: acme, resource: 'tickets', record_id: id, name: 'a.pdf', size: 3 }
    expect((await requester.from('files').insert(files)).error?.code).toBe('42501')
    const other = { company_id: acme, ticket_id: id, user_id: people.get('admin@acme.test') }
    expect((await requester.from('ticket_watchers').insert(other)).error?.code).toBe('42501')
    const { data: after } = await requester.from('tickets').select('*').eq('id', id).single()
    expect(after).toEqual(before)
    await backend.sql(`update public.tickets set status = 'open' where id = $1`, [id])
    const reply = { company_id: acme, ticket_id: id, kind: 'reply', body: 'It happens to me, too' }
    expect((await requester.from('ticket_comments').insert(reply)).error).toBeNull()
  })

  it('ends the watching, and cannot begin it on a ticket that they only read', async () => {
    const id = tickets.watched ?? ''
    attempts += 3
    expect((await requester.rpc('watch_tickets', { ids: [tickets.other], watching: false })).data).toBe(0)
    expect((await requester.rpc('watch_tickets', { ids: [id], watching: true })).error?.code).toBe('42501')
    expect((await requester.rpc('watch_tickets', { ids: [id], watching: false })).data).toBe(1)
    expect((await requester.from('tickets').select('id').eq('id', id)).data).toEqual([])
    expect((await requester.rpc('watch_tickets', { ids: [id], watching: true })).error?.code ?? 0).toBe(0)
    expect((await requester.from('tickets').select('id').eq('id', id)).data).toEqual([])
  })

  it('who asked for the ticket edits what it is about', async () => {
    const { data } = await requester
      .from('tickets')
      .update({ description: 'It also smells' })
      .eq('id', tickets.open)
      .select('description')
    expect(data).toEqual([{ description: 'It also smells' }])
    expect((await requester.rpc('watch_tickets', { ids: [tickets.open] })).data).toBe(1)
  })
})
