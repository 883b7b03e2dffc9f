import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestBackend, testBackend } from '../../support/backend'
import { patience } from '../../support/patience'
import { listen } from '../support/live-ears'

/** A word of a note, and the ids around it: nothing of them may be in any answer to somebody without the notes. */
const SECRET = `gizli${randomUUID().slice(0, 8)}`

let backend: TestBackend
let requester: SupabaseClient
let desk: SupabaseClient
let stranger: SupabaseClient
let admin: SupabaseClient
let anonymous: SupabaseClient
let acme: string
let ticket: string
let note: string
let elsewhere: string
let replies = 0
let attempts = 0
const people = new Map<string, string>()

beforeAll(async () => {
  backend = await testBackend()
  ;[requester, desk, stranger, admin] = (await Promise.all(
    ['standard@acme.test', 'teknik@acme.test', 'admin@globex.test', 'admin@acme.test'].map((email) =>
      backend.client(email),
    ),
  )) as [SupabaseClient, SupabaseClient, SupabaseClient, SupabaseClient]
  anonymous = await backend.client()
  for (const { id, email } of await backend.sql<{ id: string; email: string }>(
    'select id, email from public.profiles',
  ))
    people.set(email, id)
  const one = async <R>(query: string, params: unknown[]) => (await backend.sql<R>(query, params))[0] as R
  acme = (await one<{ id: string }>('select id from public.companies where name = $1', ['Acme'])).id
  const newTicket = async (email: string) =>
    (
      await one<{ id: string }>(
        `insert into public.tickets (company_id, subject, requester_id) values ($1, 'Attacked', $2) returning id`,
        [acme, people.get(email)],
      )
    ).id
  ticket = await newTicket('standard@acme.test')
  elsewhere = await newTicket('admin@acme.test')
  const add = async (values: object) => {
    const { data, error } = await desk
      .from('ticket_comments')
      .insert({ company_id: acme, ticket_id: ticket, ...values })
      .select('id')
      .single<{ id: string }>()
    expect(error).toBeNull()
    return data?.id ?? ''
  }
  await add({ body: 'A reply' })
  replies = 1
  note = await add({
    kind: 'note',
    body: `${SECRET} [@x](mention:${people.get('standard@acme.test')}) [@y](mention:${people.get('admin@globex.test')})`,
  })
  await add({ ticket_id: elsewhere, body: `A reply elsewhere: ${SECRET}` })
}, patience(120_000))
afterAll(async () => {
  console.log(`notes and comments of others: ${attempts} attempts`)
  await backend?.stop()
})

interface Answer {
  data: unknown
  error: unknown
  count?: number | null
}

/** Everything that was answered, errors too, as one text. */
const said = ({ data, error, count }: Answer): string => JSON.stringify([data, error, count ?? null])

function expectNothing(what: string, answer: Answer): void {
  attempts++
  const text = said(answer)
  expect(text, what).not.toContain(SECRET)
  expect(text, what).not.toContain(note)
}

const readers = () =>
  [
    ['requester', requester],
    ['stranger', stranger],
    ['anonymous', anonymous],
  ] as [string, SupabaseClient][]

it('REST gives no note, by whatever filter, order, embed or count', async () => {
  for (const [who, client] of readers()) {
    const table = () => client.from('ticket_comments')
    const asked: [string, PromiseLike<Answer>][] = [
      ['all', table().select('*')],
      ['by id', table().select('*').eq('id', note)],
      ['by kind', table().select('*').eq('kind', 'note')],
      ['by not being a reply', table().select('*').neq('kind', 'reply')],
      ['by words', table().select('*').ilike('body', `%${SECRET}%`)],
      ['by searched words', table().select('*').ilike('search', `%${SECRET}%`)],
      [
        'by mention',
        table()
          .select('*')
          .contains('mentions', [people.get('standard@acme.test')]),
      ],
      ['as CSV', table().select('*').eq('ticket_id', ticket).csv()],
      ['embedded', client.from('tickets').select('id, ticket_comments(*)').eq('id', ticket)],
      ['the other way', table().select('body, tickets(subject)').eq('ticket_id', elsewhere)],
      ['from the company', client.from('companies').select('id, ticket_comments(body)')],
    ]
    for (const [how, query] of asked) expectNothing(`${who}: ${how}`, await query)
  }
})

it('counts and embedded counts are those of replies', async () => {
  const counts = await Promise.all(
    readers().map(async ([, client]) => {
      attempts += 2
      const { count } = await client
        .from('ticket_comments')
        .select('*', { count: 'exact', head: true })
        .eq('ticket_id', ticket)
      const { data } = await client.from('tickets').select('ticket_comments(count)').eq('id', ticket)
      const [row] = (data ?? []) as unknown as { ticket_comments: { count: number }[] }[]
      return [count ?? 0, row?.ticket_comments[0]?.count ?? 0]
    }),
  )
  expect(counts).toEqual([
    [replies, replies],
    [0, 0],
    [0, 0],
  ])
})

it('no function finds, counts or names a note', async () => {
  for (const [who, client] of readers()) {
    const call = (name: string, args: object) => client.rpc(name, args) as PromiseLike<Answer>
    const title = { name: 'tickets', columns: ['subject'], company_id: null }
    const asked: [string, object][] = [
      ['search_ticket_comments', { q: SECRET }],
      ['search_tickets', { q: SECRET }],
      [
        'find_records',
        { q: SECRET, resources: [title, { ...title, name: 'ticket_comments', columns: ['body'] }] },
      ],
      ['matching_ids', { resource: 'ticket_comments', filter: {} }],
      ['matching_ids', { resource: 'tickets', filter: {}, q: SECRET }],
      ['facet_counts', { resource: 'ticket_comments', field: 'kind', filter: {} }],
      ['facet_counts', { resource: 'tickets', field: 'status', filter: {}, q: SECRET }],
      ['record_titles', { wanted: { ticket_comments: [note] } }],
      ['record_activity', { resource: 'tickets', record_id: ticket }],
      ['record_activity', { resource: 'ticket_comments', record_id: note }],
      ['record_activity', { resource: 'tickets-notes', record_id: ticket }],
      ['comment_names', { resource: 'tickets', record_id: ticket }],
      ['comment_people', { resource: 'tickets', record_id: ticket, kind: 'note' }],
      ['comment_people', { resource: 'tickets', record_id: elsewhere, kind: 'reply' }],
      [
        'is_taken',
        { resource: 'ticket_comments', fields: ['body'], record: { body: SECRET, company_id: acme } },
      ],
      ['bulk_edit', { resource: 'ticket_comments', ids: [note], changes: { body: 'x' } }],
      ['bulk_delete', { resource: 'ticket_comments', ids: [note] }],
      [
        'save_rows',
        { resource: 'ticket_comments', rows: [{ id: note, version: 1, changes: { body: 'x' } }] },
      ],
    ]
    for (const [name, args] of asked) {
      const answer = await call(name, args)
      expectNothing(`${who}: ${name}`, {
        ...answer,
        data: name.startsWith('bulk') || name === 'save_rows' ? null : answer.data,
      })
      if (name === 'search_tickets' || name === 'matching_ids')
        expect(said(answer), `${who}: ${name}`).not.toContain(ticket)
    }
    const names = await call('comment_names', { resource: 'tickets', record_id: ticket })
    expect(names.data ?? [], who).toEqual([])
  }
  const [row] = await backend.sql<{ body: string }>('select body from public.ticket_comments where id = $1', [
    note,
  ])
  expect(row?.body).toContain(SECRET)
})

it('activity and audit log say nothing of a note, where they are read at all', async () => {
  // A role that reads the audit log, and tickets, but no notes.
  await backend.sql(
    `insert into app.policy_rule (ptype, v0, v1, v2, v3) values ('p', 'Standard', 'audit_log', 'list', 'allow')`,
  )
  try {
    const asked: Answer[] = [
      await requester.from('audit_log').select('*').eq('row_id', ticket),
      await requester.from('audit_log').select('*').eq('table_name', 'tickets-notes'),
      await requester
        .from('audit_log')
        .select('*', { count: 'exact' })
        .neq('table_name', 'x')
        .eq('row_id', note),
      (await requester.rpc('record_activity', { resource: 'tickets', record_id: ticket })) as Answer,
      (await requester.rpc('search_audit_log', { q: SECRET })) as Answer,
    ]
    for (const [index, answer] of asked.entries()) {
      expectNothing(`audit ${index}`, answer)
      expect(said(answer)).not.toContain('"note"')
      expect(said(answer)).not.toContain('"tickets-notes"')
    }
  } finally {
    await backend.sql(`delete from app.policy_rule where v0 = 'Standard' and v1 = 'audit_log'`)
  }
})

it('no bell, notice or mail tells of a note', async () => {
  for (const email of ['standard@acme.test', 'admin@globex.test']) {
    attempts += 2
    const bells = await backend.sql(
      `select 1 from public.notifications where user_id = $1 and (link like $2 or params::text like $3)`,
      [people.get(email), `%${note}%`, `%${SECRET}%`],
    )
    const notices = await backend.sql(
      'select 1 from app.notices where user_id = $1 and record_ids @> array[$2::uuid]',
      [people.get(email), note],
    )
    expect([bells, notices]).toEqual([[], []])
  }
})

it('no write of a stranger reaches a comment, and none becomes a note', async () => {
  const values = { company_id: acme, ticket_id: ticket, body: 'Forged' }
  for (const [who, client] of readers()) {
    const table = () => client.from('ticket_comments')
    const asked: [string, PromiseLike<Answer>][] = [
      [
        'note',
        table()
          .insert({ ...values, kind: 'note' })
          .select('*'),
      ],
      [
        'as somebody else',
        table()
          .insert({ ...values, author_id: people.get('admin@acme.test') })
          .select('*'),
      ],
      [
        'with a chosen id',
        table()
          .insert({ ...values, id: note })
          .select('*'),
      ],
      [
        'elsewhere',
        table()
          .insert({ ...values, ticket_id: elsewhere })
          .select('*'),
      ],
      ['edit', table().update({ body: 'Forged' }).eq('id', note).select('*')],
      ['turn into a reply', table().update({ kind: 'reply' }).eq('id', note).select('*')],
      ['move', table().update({ ticket_id: elsewhere }).eq('ticket_id', ticket).select('*')],
      [
        'upsert',
        table()
          .upsert({ ...values, id: note })
          .select('*'),
      ],
      ['delete', table().delete().eq('id', note).select('*')],
      ['delete all', table().delete().eq('company_id', acme).neq('kind', 'reply').select('*')],
    ]
    for (const [how, query] of asked) {
      const answer = await query
      expectNothing(`${who}: ${how}`, { ...answer, error: null })
      expect(answer.data ?? [], `${who}: ${how}`).toEqual([])
    }
  }
  const left = await backend.sql<{ kind: string }>(
    'select kind from public.ticket_comments where ticket_id = any ($1::uuid[]) order by created_at',
    [[ticket, elsewhere]],
  )
  expect(left.map(({ kind }) => kind)).toEqual(['reply', 'note', 'reply'])
})

it('an error tells nothing of a note: the answers for it and for nothing are alike', async () => {
  for (const [, client] of readers()) {
    const answers = await Promise.all(
      [note, randomUUID()].map(async (id) => {
        attempts++
        const { data, error, status } = await client
          .from('ticket_comments')
          .update({ body: 'x' })
          .eq('id', id)
          .select('*')
        return JSON.stringify([data, error?.code, error?.hint, status])
      }),
    )
    expect(answers[0]).toBe(answers[1])
  }
})

it('live messages and presence reach those who may read the comment', async () => {
  const own = `record:tickets:${ticket}`
  const refused: [SupabaseClient, string][] = [
    [requester, `${own}:note`],
    [requester, `record:tickets:${elsewhere}`],
    [requester, `record:tickets:${elsewhere}:note`],
    [stranger, own],
    [stranger, `${own}:note`],
    [desk, `${own}:reply`],
    [desk, `record:users:${people.get('admin@acme.test')}`],
    [desk, `record:tickets:${randomUUID()}`],
  ]
  for (const [client, topic] of refused) {
    attempts++
    await client.realtime.setAuth()
    const ear = await listen(client, topic)
    expect(ear.states[0], topic).toBe('CHANNEL_ERROR')
    await client.removeAllChannels()
  }
  await Promise.all([requester, desk, admin].map((client) => client.realtime.setAuth()))
  const heard: unknown[] = []
  const atRequester = await listen(requester, own)
  const ofCompany = await listen(requester, `company:${acme}`)
  requester.getChannels()[0]?.on('broadcast', { event: 'presence' }, (message) => heard.push(message.payload))
  const atDesk = await listen(desk, `${own}:note`)
  const deskOwn = desk.channel(own, { config: { private: true } })
  await new Promise<void>((done) => deskOwn.subscribe((status) => status === 'SUBSCRIBED' && done()))
  const [secret] = (
    await desk
      .from('ticket_comments')
      .insert({ company_id: acme, ticket_id: ticket, kind: 'note', body: SECRET })
      .select('id')
  ).data as { id: string }[]
  const [reply] = (
    await desk
      .from('ticket_comments')
      .insert({ company_id: acme, ticket_id: ticket, body: 'Later' })
      .select('id')
  ).data as { id: string }[]
  await expect.poll(() => atDesk.heard.some(({ ids }) => ids.includes(secret?.id ?? ''))).toBe(true)
  await expect.poll(() => atRequester.heard.some(({ ids }) => ids.includes(reply?.id ?? ''))).toBe(true)
  attempts += 2
  // The reply came after the note: a message of the note would have been there before it.
  expect(JSON.stringify([atRequester.heard, ofCompany.heard])).not.toContain(secret?.id)
  expect(atRequester.heard.filter(({ table }) => table === 'ticket_comments')).toHaveLength(1)

  // A page names another person: the server puts the one of the session in its place.
  const page = randomUUID().replaceAll('-', '')
  const say = (payload: object) => deskOwn.send({ type: 'broadcast', event: 'presence', payload })
  await say({ user: people.get('admin@acme.test'), name: 'Admin', page, state: 'shouting' })
  await deskOwn.send({ type: 'broadcast', event: 'change', payload: { table: 'tickets', ids: [] } })
  await say({ user: people.get('admin@acme.test'), name: 'Admin', page, state: 'writing' })
  await expect.poll(() => heard.length).toBe(1)
  attempts += 3
  expect(heard).toEqual([
    { user: people.get('teknik@acme.test'), name: expect.any(String), page, state: 'writing' },
  ])
  expect(JSON.stringify(heard)).not.toContain('"Admin"')

  // The ticket is given to somebody else: whoever asked for it before hears no more of it.
  await backend.sql('update public.tickets set requester_id = $2 where id = $1', [
    ticket,
    people.get('admin@acme.test'),
  ])
  const before = atRequester.heard.length
  await desk
    .from('ticket_comments')
    .insert({ company_id: acme, ticket_id: ticket, body: 'Not yours any more' })
  await expect.poll(() => atRequester.states.at(-1)).not.toBe('SUBSCRIBED')
  attempts++
  expect(atRequester.heard).toHaveLength(before)
  for (const client of [requester, desk, admin]) await client.removeAllChannels()
})

it('made at least 40 attempts', () => {
  expect(attempts).toBeGreaterThanOrEqual(40)
})
