import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drivers } from '../../support/backend'
import { PDF, type Person, upload } from '../files/support'
import { listen } from '../support/live-ears'
import {
  admin,
  backend,
  call,
  company,
  isThere,
  made,
  type Outcome,
  one,
  openTrash,
  remove,
  restore,
  second,
  standard,
  stranger,
  superAdmin,
  teknik,
  ticket,
  trashOf,
} from './support'

describe.each(drivers('locks', 'sessions', 'roles'))(
  'nobody reaches a record in the trash on %s',
  (driver) => {
    openTrash(driver)

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
  },
)
