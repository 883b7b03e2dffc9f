import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { patience } from '../../support/patience'
import { PDF, type Person, signIn, upload } from '../files/support'
import { heardOf, listen } from '../support/live-ears'

interface Outcome {
  id: string
  outcome: string
  reason: { code: string; hint: string | null; message: string } | null
}

describe.each(drivers('locks', 'sessions', 'roles'))('the trash on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let other: string
  let admin: Person
  let second: Person
  let teknik: Person
  let standard: Person
  let stranger: Person
  let superAdmin: Person
  let category: string

  const one = async <R>(query: string, params: unknown[] = []) =>
    (await backend.sql<R>(query, params))[0] as R
  const made = async (query: string, params: unknown[] = []) => (await one<{ id: string }>(query, params)).id
  const ticket = (subject: string, more: { requester?: string; status?: string } = {}) =>
    made(
      `insert into public.tickets (company_id, subject, category_id, requester_id, status) values ($1, $2, $3, $4, $5) returning id`,
      [company, subject, category, more.requester ?? null, more.status ?? 'open'],
    )
  const command = (name: string) =>
    made(
      `insert into public.saved_commands (company_id, name, command) values ($1, $2, 'hostname') returning id`,
      [company, name],
    )
  const call = async (client: SupabaseClient, name: string, resource: string, ids: string[]) =>
    (await client.rpc(name, { resource, ids }).throwOnError()).data as Outcome[]
  const remove = (client: SupabaseClient, resource: string, ...ids: string[]) =>
    call(client, 'bulk_delete', resource, ids)
  const restore = (client: SupabaseClient, resource: string, ...ids: string[]) =>
    call(client, 'restore_records', resource, ids)
  const purge = (client: SupabaseClient, resource: string, ...ids: string[]) =>
    call(client, 'purge_records', resource, ids)
  const trashOf = async (client: SupabaseClient, resource: string, more: object = {}) =>
    ((await client.rpc('trash', { resource, ...more }).throwOnError()).data ?? []) as {
      id: string
      deleted_name: string
      ends_at: string
      deleted_at: string
      record: Record<string, unknown>
      total: number
    }[]
  const isThere = async (client: SupabaseClient, table: string, id: string) =>
    ((await client.from(table).select('id').eq('id', id).throwOnError()).data ?? []).length === 1

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    ;[company, other] = [await createCompany(backend), await createCompany(backend)]
    admin = await signIn(backend, 'Admin', company)
    second = await signIn(backend, 'Admin', company)
    teknik = await signIn(backend, 'Teknik', company)
    standard = await signIn(backend, 'Standard', company)
    stranger = await signIn(backend, 'Admin', other)
    superAdmin = await signIn(backend, 'Super Admin', null)
    category = await made(
      `insert into public.ticket_categories (company_id, name) values ($1, 'Printers') returning id`,
      [company],
    )
  }, patience(120_000))
  afterAll(() => backend?.stop())

  it('takes a record that is deleted and gives it back as it was', async () => {
    const id = await ticket('Comes back')
    const before = await one<Record<string, unknown>>('select * from public.tickets where id = $1', [id])
    expect(await remove(admin.client, 'tickets', id)).toEqual([{ id, outcome: 'deleted', reason: null }])
    expect(await isThere(admin.client, 'tickets', id)).toBe(false)
    const [kept] = await trashOf(admin.client, 'tickets', { fields: ['number', 'subject'] })
    expect(kept).toMatchObject({ id, record: { subject: 'Comes back', number: before.number } })
    expect(kept?.deleted_name).toMatch(/\S/)
    expect(Date.parse(kept?.ends_at ?? '') - Date.parse(kept?.deleted_at ?? '')).toBe(30 * 86_400_000)
    expect(await restore(second.client, 'tickets', id)).toEqual([{ id, outcome: 'changed', reason: null }])
    expect(await one('select * from public.tickets where id = $1', [id])).toEqual({
      ...before,
      updated_at: expect.anything(),
    })
    expect(await trashOf(admin.client, 'tickets')).toEqual([])
  })

  it('also takes a record that is deleted by a plain request', async () => {
    const id = await command('By REST')
    await admin.client.from('saved_commands').delete().eq('id', id).throwOnError()
    expect(await isThere(admin.client, 'saved_commands', id)).toBe(false)
    expect((await trashOf(admin.client, 'saved_commands')).map((row) => row.id)).toEqual([id])
    await purge(admin.client, 'saved_commands', id)
  })

  it('frees the name of a record, which comes back only while nobody has taken it', async () => {
    const id = await command('Uptime')
    await remove(admin.client, 'saved_commands', id)
    const { data: taker } = await admin.client
      .from('saved_commands')
      .insert({ company_id: company, name: 'UPTIME', command: 'uptime' })
      .select('id')
      .single()
      .throwOnError()
    const [refused] = await restore(admin.client, 'saved_commands', id)
    expect(refused).toMatchObject({ outcome: 'refused', reason: { code: '23505' } })
    expect(refused?.reason?.message).toContain('saved_commands_name_key')
    expect((await trashOf(admin.client, 'saved_commands')).map((row) => row.id)).toEqual([id])
    await admin.client.from('saved_commands').update({ name: 'Other' }).eq('id', taker.id).throwOnError()
    expect(await restore(admin.client, 'saved_commands', id)).toMatchObject([{ outcome: 'changed' }])
  })

  it('makes a new record of an imported row that names one in the trash', async () => {
    const id = await command('Imported')
    await remove(admin.client, 'saved_commands', id)
    const { data } = await admin.client
      .rpc('import_rows', {
        resource: 'saved_commands',
        rows: [{ line: 2, values: { name: 'Imported', command: 'whoami', type: 'CMD' } }],
        company,
        keys: ['name'],
        lookups: {},
        mode: 'upsert',
        dry_run: false,
      })
      .throwOnError()
    expect(data).toMatchObject({ inserted: 1, updated: 0 })
    expect(
      await one('select count(*)::int as count from public.saved_commands where name = $1', ['Imported']),
    ).toEqual({
      count: 2,
    })
  })

  it('refuses a record that a living one holds, and takes it once the holder is in the trash', async () => {
    const held = await made(
      `insert into public.ticket_categories (company_id, name) values ($1, 'Held') returning id`,
      [company],
    )
    const id = await ticket('Holder')
    await backend.sql('update public.tickets set category_id = $2 where id = $1', [id, held])
    await remove(admin.client, 'tickets', id)
    // The category itself has no trash: its key refuses, whether the ticket lives or not, and nothing is lost.
    const { number } = await one<{ number: number }>('select number from public.tickets where id = $1', [id])
    expect(await remove(admin.client, 'ticket_categories', held)).toMatchObject([
      {
        outcome: 'refused',
        reason: { code: '23514', hint: 'held_by_trash', details: `{"records": "#${number}"}` },
      },
    ])
    const { error } = await admin.client.from('ticket_categories').delete().eq('id', held)
    expect(error).toMatchObject({ code: '23514', hint: 'held_by_trash' })
    // A stranger learns nothing of it.
    expect(await remove(stranger.client, 'ticket_categories', held)).toMatchObject([{ outcome: 'gone' }])
    await restore(admin.client, 'tickets', id)
    expect(await remove(admin.client, 'ticket_categories', held)).toMatchObject([
      { outcome: 'refused', reason: { code: '23503' } },
    ])
    await remove(admin.client, 'tickets', id)
    await purge(admin.client, 'tickets', id)
    expect(await remove(admin.client, 'ticket_categories', held)).toMatchObject([{ outcome: 'deleted' }])
  })

  it('answers a reference to a record in it as one to no record, whoever asks', async () => {
    const trashed = { tickets: await ticket('Hidden'), saved_commands: await command('Hidden') }
    const article = await made(
      `insert into public.articles (company_id, title, body) values ($1, 'Hidden', 'x') returning id`,
      [company],
    )
    await remove(admin.client, 'tickets', trashed.tickets)
    await remove(admin.client, 'saved_commands', trashed.saved_commands)
    await remove(admin.client, 'articles', article)
    const keys = await backend.sql<{ child: string; col: string; target: string }>(
      `select c.relname as child, a.attname as col, p.relname as target from pg_constraint k
       join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
       cross join lateral unnest(k.conkey) as u (number)
       join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number and a.attname <> 'company_id'
       where k.contype = 'f' and app.has_trash(k.confrelid) and has_column_privilege('authenticated', c.oid, a.attname, 'insert')
       order by 1, 2`,
    )
    expect(keys.length).toBeGreaterThanOrEqual(5)
    const living = await ticket('Living')
    const whole: Record<string, object> = {
      ticket_comments: { kind: 'reply', body: 'x' },
      ticket_watchers: { user_id: stranger.id },
      ticket_links: { kind: 'relates', ticket_id: living, other_id: living },
      ticket_checklist_items: { text: 'x' },
      time_entries: { minutes: 5 },
      tickets: { subject: 'x' },
    }
    const wrong: unknown[] = []
    let compared = 0
    for (const person of [stranger, standard, teknik, admin, superAdmin])
      for (const owner of [company, other])
        for (const { child, col, target } of keys) {
          const there = target === 'articles' ? article : trashed[target as keyof typeof trashed]
          const answer = async (id: string) => {
            const { error, status } = await person.client
              .from(child)
              .insert({ company_id: owner, ...whole[child], [col]: id })
            return JSON.stringify({ status, error }).replaceAll(id, 'ID')
          }
          const [none, hidden] = [await answer(randomUUID()), await answer(there)]
          compared += 1
          if (none !== hidden) wrong.push({ child, col, none, hidden })
        }
    expect(wrong).toEqual([])
    expect(compared).toBe(keys.length * 10)
    await purge(admin.client, 'tickets', trashed.tickets)
    await purge(admin.client, 'saved_commands', trashed.saved_commands)
    await purge(admin.client, 'articles', article)
    await backend.sql('delete from public.tickets where id = $1', [living])
  })

  it('hides the ticket that took over a merged one, until it is restored', async () => {
    const [merged, survivor] = [
      await ticket('Merged', { requester: standard.id }),
      await ticket('Survivor', { requester: standard.id }),
    ]
    await admin.client.rpc('merge_tickets', { ids: [merged], target_id: survivor }).throwOnError()
    const write = (person: Person, body: string) =>
      person.client
        .from('ticket_comments')
        .insert({ company_id: company, ticket_id: merged, kind: 'reply', body })
    expect((await write(standard, 'Refused')).error).toMatchObject({ hint: 'ticket_merged' })
    await remove(admin.client, 'tickets', survivor)
    // As any closed ticket, without the number of one that nobody sees.
    for (const person of [standard, teknik, admin])
      expect((await write(person, 'Refused')).error).toMatchObject({ hint: 'comment_closed', details: null })
    expect((await write(stranger, 'Refused')).error?.code).toBe('42501')
    await restore(admin.client, 'tickets', survivor)
    expect((await write(standard, 'Refused')).error).toMatchObject({ hint: 'ticket_merged' })
    await remove(admin.client, 'tickets', merged, survivor)
    await purge(admin.client, 'tickets', merged, survivor)
  })

  it('reports each record of a batch on its own', async () => {
    const [mine, gone] = [await command('Of a batch'), randomUUID()]
    const foreign = await made(
      `insert into public.saved_commands (company_id, name, command) values ($1, 'Foreign', 'x') returning id`,
      [other],
    )
    const outcome = new Map(
      (await remove(admin.client, 'saved_commands', mine, gone, foreign)).map((row) => [row.id, row.outcome]),
    )
    expect(Object.fromEntries(outcome)).toEqual({ [mine]: 'deleted', [gone]: 'gone', [foreign]: 'gone' })
    const again = await Promise.all([
      remove(admin.client, 'saved_commands', mine),
      restore(stranger.client, 'saved_commands', mine),
    ])
    expect(again.flat().map((row) => row.outcome)).toEqual(['gone', 'gone'])
  })

  it('answers two people who delete or restore at once', async () => {
    const id = await ticket('At once')
    const removed = await Promise.all([
      remove(admin.client, 'tickets', id),
      remove(second.client, 'tickets', id),
    ])
    expect(
      removed
        .flat()
        .map((row) => row.outcome)
        .sort(),
    ).toEqual(['deleted', 'gone'])
    expect(
      await one('select deleted_at is not null as kept from public.tickets where id = $1', [id]),
    ).toEqual({
      kept: true,
    })
    const restored = await Promise.all([
      restore(admin.client, 'tickets', id),
      restore(second.client, 'tickets', id),
    ])
    expect(
      restored
        .flat()
        .map((row) => row.outcome)
        .sort(),
    ).toEqual(['changed', 'gone'])
  })

  it('keeps comments, notes, watchers and files of a record, and deletes them with it for good', async () => {
    const id = await ticket('With a file', { requester: standard.id })
    const file = await upload(admin, PDF, { company, resource: 'tickets', record: id })
    await admin.client
      .from('ticket_comments')
      .insert({ company_id: company, ticket_id: id, kind: 'note', body: 'internal' })
      .throwOnError()
    await remove(admin.client, 'tickets', id)
    expect((await admin.client.storage.from('files').download(file.path)).error).toBeTruthy()
    await restore(admin.client, 'tickets', id)
    const back = await admin.client.storage.from('files').download(file.path)
    expect(Buffer.from((await back.data?.arrayBuffer()) ?? new ArrayBuffer(0))).toEqual(PDF)
    expect(
      (await admin.client.from('ticket_comments').select('body').eq('ticket_id', id).throwOnError()).data,
    ).toEqual([{ body: 'internal' }])
    await remove(admin.client, 'tickets', id)
    expect(await purge(admin.client, 'tickets', id)).toMatchObject([{ outcome: 'deleted' }])
    const rest = await one<Record<string, number>>(
      `select (select count(*)::int from public.tickets where id = $1) as tickets,
        (select count(*)::int from public.ticket_comments where ticket_id = $1) as comments,
        (select count(*)::int from public.files where record_id = $1) as files,
        (select count(*)::int from app.file_removals where path = $2) as removals`,
      [id, file.path],
    )
    expect(rest).toEqual({ tickets: 0, comments: 0, files: 0, removals: 1 })
  })

  it('is emptied by the tick after 30 days', async () => {
    const [young, old] = [await ticket('Young'), await ticket('Old')]
    await remove(admin.client, 'tickets', young, old)
    await backend.sql(
      `update public.tickets set deleted_at = now() - interval '30 days 1 minute' where id = $1`,
      [old],
    )
    await backend.sql(
      `update public.tickets set deleted_at = now() - interval '29 days 23 hours' where id = $1`,
      [young],
    )
    expect(await one('select app.empty_trash() as removed')).toEqual({ removed: 1 })
    expect(await backend.sql('select id from public.tickets where id = any ($1)', [[young, old]])).toEqual([
      { id: young },
    ])
    expect(await backend.sql(`select error from app.tick_log where step = 'trash'`)).toEqual([])
  })

  it('has no clock, no closing, no share of the work and no timer', async () => {
    const id = await ticket('Shelved', { status: 'resolved' })
    await backend.sql(
      `update public.tickets set resolved_at = now() - interval '90 days', sla_next_at = now() - interval '1 hour', assignee_id = $2 where id = $1`,
      [id, teknik.id],
    )
    await backend.sql(
      `insert into public.time_entries (company_id, ticket_id, user_id, started_at) values ($1, $2, $3, now() - interval '1 hour')`,
      [company, id, admin.id],
    )
    await backend.sql('update public.desk_settings set close_after_days = 1 where company_id = $1', [company])
    await remove(admin.client, 'tickets', id)
    await backend.sql('select app.watch_sla(), app.close_resolved()')
    expect(
      await one(
        `select status, sla_next_at < now() as is_due, timer_started_at is null as is_stopped from public.tickets where id = $1`,
        [id],
      ),
    ).toEqual({ status: 'resolved', is_due: true, is_stopped: true })
    expect(
      await one('select ended_at is not null as ended from public.time_entries where ticket_id = $1', [id]),
    ).toEqual({
      ended: true,
    })
    await restore(admin.client, 'tickets', id)
    await backend.sql('select app.close_resolved()')
    expect(await one('select status from public.tickets where id = $1', [id])).toEqual({ status: 'closed' })
  })

  it('is told in the log as trash and restore, and live as gone and new', async () => {
    const id = await ticket('Told')
    const ear = await listen(admin.client, `company:${company}`)
    await expect.poll(() => ear.states).toContain('SUBSCRIBED')
    await remove(second.client, 'tickets', id)
    await expect.poll(() => heardOf(ear, id)).toBe(true)
    await restore(second.client, 'tickets', id)
    await expect
      .poll(() =>
        ear.heard.filter((change) => change.table === 'tickets' && change.ids.includes(id)).map((c) => c.op),
      )
      .toEqual(['delete', 'insert'])
    const { data } = await admin.client
      .from('audit_log')
      .select('action, changes')
      .eq('row_id', id)
      .order('at')
      .throwOnError()
    expect(data).toEqual([
      expect.objectContaining({ action: 'create' }),
      { action: 'trash', changes: {} },
      { action: 'restore', changes: {} },
    ])
  })

  it('counts no subticket that is in it', async () => {
    const [parent, child] = [await ticket('Parent'), await ticket('Child')]
    await admin.client.rpc('set_ticket_parent', { ids: [child], parent_id: parent }).throwOnError()
    const count = async () =>
      one('select subticket_count as count from public.tickets where id = $1', [parent])
    expect(await count()).toEqual({ count: 1 })
    await remove(admin.client, 'tickets', child)
    expect(await count()).toEqual({ count: 0 })
    await restore(admin.client, 'tickets', child)
    expect(await count()).toEqual({ count: 1 })
  })

  it('opens a new ticket for an alert whose ticket is in it', async () => {
    const device = await made(
      `insert into public.devices (company_id, name) values ($1, 'Alerting PC') returning id`,
      [company],
    )
    const monitor = await made(
      `insert into public.monitors (company_id, name, type, offline_minutes, open_ticket) values ($1, 'Offline', 'Offline', 5, true) returning id`,
      [company],
    )
    const alert = (message: string) =>
      backend.sql(
        `insert into public.alerts (company_id, monitor_id, device_id, severity, message) values ($1, $2, $3, 'warning', $4)`,
        [company, monitor, device, message],
      )
    await alert('first')
    const first = await made('select id from public.tickets where device_id = $1', [device])
    await remove(admin.client, 'tickets', first)
    await backend.sql(
      `update public.alerts set status = 'resolved', resolved_at = now() where device_id = $1`,
      [device],
    )
    await alert('second')
    const { data } = await admin.client.from('tickets').select('id').eq('device_id', device).throwOnError()
    expect(data).toHaveLength(1)
    expect(data?.[0]?.id).not.toBe(first)
  })

  describe('nobody reaches a record in it', () => {
    let attempts = 0
    let id: string
    let article: string
    let comment: string
    let file: { id: string; path: string }
    let approval: string
    let entry: string
    let item: string
    let word: string
    let alive: string
    afterAll(() => {
      console.log(`records in the trash on ${driver}: ${attempts} attempts`)
      expect(attempts).toBeGreaterThanOrEqual(150)
    })

    beforeAll(async () => {
      word = `gizli${randomUUID().slice(0, 8)}`
      id = await ticket(`Printer ${word}`, { requester: standard.id, status: 'resolved' })
      alive = await ticket('Alive')
      await backend.sql(`update public.tickets set description = $2 where id = $1`, [id, `Words ${word}`])
      comment = await made(
        `insert into public.ticket_comments (company_id, ticket_id, kind, body, author_id) values ($1, $2, 'reply', $3, $4) returning id`,
        [company, id, `Comment ${word}`, standard.id],
      )
      await backend.sql(
        `insert into public.ticket_comments (company_id, ticket_id, kind, body, author_id) values ($1, $2, 'note', $3, $4)`,
        [company, id, `Note ${word}`, admin.id],
      )
      file = await upload(admin, PDF, { company, resource: 'tickets', record: id, name: `${word}.pdf` })
      approval = await made(
        `insert into public.ticket_approvals (company_id, ticket_id, step, role, status) values ($1, $2, 1, 'Admin', 'asked') returning id`,
        [company, id],
      )
      entry = await made(
        `insert into public.time_entries (company_id, ticket_id, user_id, started_at, ended_at) values ($1, $2, $3, now() - interval '1 hour', now()) returning id`,
        [company, id, admin.id],
      )
      item = await made(
        `insert into public.ticket_checklist_items (company_id, ticket_id, text) values ($1, $2, $3) returning id`,
        [company, id, `Item ${word}`],
      )
      await backend.sql(
        'insert into public.ticket_watchers (company_id, ticket_id, user_id) values ($1, $2, $3)',
        [company, id, teknik.id],
      )
      article = await made(
        `insert into public.articles (company_id, title, body, status, audience) values ($1, $2, $2, 'published', 'everyone') returning id`,
        [company, `Yazıcı ${word}`],
      )
      await remove(admin.client, 'tickets', id)
      await remove(admin.client, 'articles', article)
    })

    const everybody = (): [string, Person][] => [
      ['the admin who deleted it', admin],
      ['another admin', second],
      ['a technician', teknik],
      ['the requester', standard],
      ['an admin of another company', stranger],
      ['a Super Admin', superAdmin],
    ]

    it('by reading', async () => {
      for (const [name, { client }] of everybody()) {
        const reads: [string, PromiseLike<{ data: unknown }>][] = [
          ['the row', client.from('tickets').select('*').eq('id', id)],
          ['the article', client.from('articles').select('*').eq('id', article)],
          ['the mark', client.from('tickets').select('id').not('deleted_at', 'is', null)],
          ['a search', client.rpc('search_tickets', { q: word })],
          ['a search of articles', client.rpc('search_articles', { q: word })],
          ['comments', client.from('ticket_comments').select('*').eq('ticket_id', id)],
          ['a search of comments', client.rpc('search_ticket_comments', { q: word })],
          ['files', client.from('files').select('*').eq('record_id', id)],
          ['files of comments', client.rpc('comment_files', { resource: 'tickets', record_id: id })],
          ['watchers', client.from('ticket_watchers').select('*').eq('ticket_id', id)],
          ['approvals', client.from('ticket_approvals').select('*').eq('ticket_id', id)],
          ['approvers', client.from('ticket_approvers').select('*').eq('ticket_id', id)],
          ['time', client.from('time_entries').select('*').eq('ticket_id', id)],
          ['the checklist', client.from('ticket_checklist_items').select('*').eq('ticket_id', id)],
          ['links', client.from('ticket_links').select('*').eq('ticket_id', id)],
          ['the palette', client.rpc('find_records', { q: word, resources: { tickets: ['subject'] } })],
          [
            'titles',
            client.rpc('record_titles', { wanted: { tickets: { ids: [id], fields: ['subject'] } } }),
          ],
          [
            'matching ids',
            client.rpc('matching_ids', {
              resource: 'tickets',
              filter: {},
              q: word,
              after: null,
              max_rows: 10,
            }),
          ],
          ['names', client.rpc('comment_names', { resource: 'tickets', record_id: id })],
          ['suggestions', client.rpc('suggest_articles', { q: `Yazıcı ${word}`, company })],
          ['the side', client.rpc('ticket_side', { ticket_id: id })],
        ]
        for (const [what, read] of reads) {
          attempts++
          const { data } = await read
          expect(JSON.stringify(data ?? []), `${what} by ${name}`).not.toContain(word)
          expect(JSON.stringify(data ?? []), `${what} by ${name}`).not.toContain(id)
        }
        attempts++
        expect((await client.storage.from('files').download(file.path)).data, `storage by ${name}`).toBeNull()
        attempts++
        expect(
          (await client.storage.from('files').createSignedUrl(file.path, 60)).data?.signedUrl ?? null,
        ).toBeNull()
        attempts++
        const ear = await listen(client, `record:tickets:${id}`)
        expect(ear.states, `live by ${name}`).not.toContain('SUBSCRIBED')
      }
    })

    it('by writing', async () => {
      const before = await backend.sql('select * from public.tickets where id = $1', [id])
      for (const [name, { client }] of everybody()) {
        const row = { company_id: company, ticket_id: id }
        const writes: [string, PromiseLike<{ data: unknown; error: unknown }>][] = [
          ['an edit', client.from('tickets').update({ subject: 'Taken' }).eq('id', id).select('id')],
          ['the mark', client.from('tickets').update({ deleted_at: null }).eq('id', id).select('id')],
          ['a deletion', client.from('tickets').delete().eq('id', id).select('id')],
          [
            'a comment',
            client
              .from('ticket_comments')
              .insert({ ...row, kind: 'reply', body: 'x' })
              .select('id'),
          ],
          [
            'a changed comment',
            client.from('ticket_comments').update({ body: 'x' }).eq('id', comment).select('id'),
          ],
          ['a deleted comment', client.from('ticket_comments').delete().eq('id', comment).select('id')],
          [
            'a watcher',
            client
              .from('ticket_watchers')
              .insert({ ...row, user_id: admin.id })
              .select('ticket_id'),
          ],
          ['time', client.from('time_entries').insert(row).select('id')],
          ['changed time', client.from('time_entries').update({ note: 'x' }).eq('id', entry).select('id')],
          [
            'a checklist item',
            client
              .from('ticket_checklist_items')
              .insert({ ...row, text: 'x' })
              .select('id'),
          ],
          [
            'a ticked item',
            client.from('ticket_checklist_items').update({ done: true }).eq('id', item).select('id'),
          ],
          [
            'a link',
            client
              .from('ticket_links')
              .insert({ ...row, kind: 'related', other_id: alive })
              .select('id'),
          ],
          [
            'a file',
            client
              .from('files')
              .insert({ company_id: company, resource: 'tickets', record_id: id, name: 'x.pdf', size: 4 })
              .select('id'),
          ],
          ['a deleted file', client.from('files').delete().eq('id', file.id).select('id')],
          ['a parent', client.rpc('set_ticket_parent', { ids: [alive], parent_id: id })],
          ['a merge into it', client.rpc('merge_tickets', { ids: [alive], target_id: id })],
          ['a merge of it', client.rpc('merge_tickets', { ids: [id], target_id: alive })],
          ['a split', client.rpc('split_ticket', { comment_id: comment, subject: 'x' })],
          ['a timer', client.rpc('start_timer', { ticket_id: id })],
          ['an approval', client.rpc('request_approval', { ids: [id], approver_role: 'Admin' })],
          ['a decision', client.rpc('decide_approvals', { ids: [approval], approved: true })],
          ['a status', client.rpc('set_ticket_status', { ids: [id], status: 'open' })],
          ['an assignment', client.rpc('assign_tickets', { ids: [id] })],
          ['the own status', client.rpc('set_own_ticket_status', { ids: [id], status: 'open' })],
          ['a rating', client.rpc('rate_ticket', { id, rating: 1 })],
          ['a vote', client.rpc('vote_articles', { ids: [article], helpful: true })],
          ['a run', client.rpc('run_on_ticket', { ticket_id: id, call: 'run_command', args: {} })],
        ]
        for (const [what, write] of writes) {
          attempts++
          const { data, error } = await write
          const isNothing = data === null || (Array.isArray(data) && data.length === 0)
          expect(error !== null || isNothing, `${what} by ${name}: ${JSON.stringify(data)}`).toBe(true)
        }
        attempts += 3
        const watched = await client.rpc('watch_tickets', { ids: [id] })
        expect(watched.data ?? 0, `watching by ${name}`).toBe(0)
        const edited = await client.rpc('bulk_edit', {
          resource: 'tickets',
          ids: [id],
          changes: { subject: 'x' },
        })
        expect(((edited.data ?? []) as Outcome[]).every((row) => row.outcome === 'gone')).toBe(true)
        const removed = await client.rpc('bulk_delete', { resource: 'tickets', ids: [id] })
        expect(((removed.data ?? []) as Outcome[]).every((row) => row.outcome === 'gone')).toBe(true)
      }
      expect(await backend.sql('select * from public.tickets where id = $1', [id])).toEqual(before)
      expect(
        await one(
          `select (select count(*)::int from public.ticket_comments where ticket_id = $1) as comments,
            (select count(*)::int from public.files where record_id = $1) as files,
            (select count(*)::int from public.article_votes where article_id = $2) as votes`,
          [id, article],
        ),
      ).toEqual({ comments: 2, files: 1, votes: 0 })
    })

    it('by its own functions, for who may not delete', async () => {
      for (const { client } of [teknik, standard])
        for (const name of ['restore_records', 'purge_records', 'trash']) {
          attempts++
          const { error } = await client.rpc(
            name,
            name === 'trash' ? { resource: 'tickets' } : { resource: 'tickets', ids: [id] },
          )
          expect(error?.code).toBe('42501')
        }
      for (const name of ['restore_records', 'purge_records']) {
        attempts++
        expect(await call(stranger.client, name, 'tickets', [id])).toMatchObject([{ outcome: 'gone' }])
      }
      attempts++
      expect(await trashOf(stranger.client, 'tickets')).toEqual([])
      attempts++
      expect(await trashOf(stranger.client, 'tickets', { company })).toEqual([])
      const anonymous = await backend.client()
      for (const name of ['restore_records', 'purge_records', 'trash']) {
        attempts++
        expect(
          (
            await anonymous.rpc(
              name,
              name === 'trash' ? { resource: 'tickets' } : { resource: 'tickets', ids: [id] },
            )
          ).error,
        ).not.toBeNull()
      }
      for (const resource of ['devices', 'profiles', 'audit_log', 'no_such_table', 'pg_class']) {
        attempts += 3
        for (const name of ['restore_records', 'purge_records'])
          expect((await admin.client.rpc(name, { resource, ids: [id] })).error?.code).toBe('22023')
        expect((await admin.client.rpc('trash', { resource })).error?.code).toBe('22023')
      }
    })

    it('by counts and figures', async () => {
      for (const { client } of [admin, teknik]) {
        const { data: figures } = await client
          .rpc('list_figures', {
            resource: 'tickets',
            figures: { all: { show: 'number' } },
            filter: {},
            q: word,
            zone: 'UTC',
          })
          .throwOnError()
        expect(figures).toMatchObject({ all: { value: 0 } })
        const { data: facets } = await client
          .rpc('facet_counts', { resource: 'tickets', field: 'status', filter: {}, q: word, max_rows: 10 })
          .throwOnError()
        expect(facets).toEqual([])
        attempts += 2
      }
    })

    it('but is restored by a Super Admin and by an admin of the company', async () => {
      expect((await trashOf(superAdmin.client, 'tickets', { company })).map((row) => row.id)).toContain(id)
      expect(await restore(superAdmin.client, 'tickets', id)).toMatchObject([{ outcome: 'changed' }])
      expect(await restore(second.client, 'articles', article)).toMatchObject([{ outcome: 'changed' }])
      expect(await isThere(standard.client, 'tickets', id)).toBe(true)
      expect(await isThere(standard.client, 'articles', article)).toBe(true)
    })
  })
})
