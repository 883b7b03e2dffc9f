import type { SupabaseClient } from '@supabase/supabase-js'
import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Account, createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { insertRow, type Values } from '../support/as-user'

type Sql = postgres.Sql | postgres.TransactionSql

/** Two requests that write the same tickets at once, which only PostgreSQL runs beside each other. */
describe.each(drivers('locks').filter((driver) => driver === 'postgres'))(
  'writes at once, on %s',
  (driver) => {
    let backend: TestBackend
    let other: postgres.Sql
    let company: string
    let admin: Account
    let client: SupabaseClient
    let low: string
    let high: string

    const insert = (table: string, values: Values) =>
      insertRow(backend, table, { company_id: company, ...values })
    const lock = (sql: Sql, id: string, strength: string) =>
      sql.unsafe(`select 1 from public.tickets where id = $1 for ${strength}`, [id])
    const isWaiting = (requests = 1) =>
      expect
        .poll(() => backend.sql('select distinct pid from pg_locks where not granted'), { interval: 10 })
        .toHaveLength(requests)
    const deadlocks = async () => {
      await backend.sql('select pg_stat_clear_snapshot()')
      const [row] = await backend.sql<{ deadlocks: number }>(
        'select deadlocks::integer from pg_stat_database where datname = current_database()',
      )
      return row?.deadlocks ?? 0
    }
    const replies = () =>
      [high, low].map((ticket_id) => ({ company_id: company, ticket_id, kind: 'reply', body: 'x' }))
    // The item of the higher ticket comes first, in the table as in the index.
    const items = async () => {
      const made = [crypto.randomUUID(), crypto.randomUUID()].sort()
      for (const [at, ticket_id] of [high, low].entries())
        await insert('ticket_checklist_items', { id: made[at], ticket_id, text: 'x' })
      return made
    }

    beforeAll(async () => {
      backend = await sharedBackend(driver)
      other = postgres(backend.databaseUrl ?? '', { max: 1 })
    })
    afterAll(async () => {
      await other?.end()
      await backend?.stop()
    })
    beforeEach(async () => {
      company = await createCompany(backend)
      admin = await createAccount(backend, 'Admin', company)
      client = await backend.client(admin.email)
      // In the table, and in each list below, the higher id comes first.
      const [first = '', second = ''] = [crypto.randomUUID(), crypto.randomUUID()].sort()
      low = first
      high = second
      for (const id of [high, low]) await insert('tickets', { id, subject: id, requester_id: admin.id })
    })

    const ids = () => [high, low]
    it.each<[string, () => Promise<() => PromiseLike<{ error: unknown }>>]>([
      [
        'a bulk edit of tags alone',
        async () => {
          const items = [await insert('tags', { name: 'x' })]
          const list = { through: 'ticket_tags', near: 'ticket_id', far: 'tag_id', how: 'add', items }
          return () =>
            client.rpc('bulk_edit', { resource: 'tickets', ids: ids(), changes: {}, lists: [list] })
        },
      ],
      ['a bulk deletion', async () => () => client.rpc('bulk_delete', { resource: 'tickets', ids: ids() })],
      [
        'ticked items',
        async () => {
          const made = await items()
          return () => client.rpc('check_items', { ids: made, done: true })
        },
      ],
      [
        'deleted items',
        async () => {
          const made = await items()
          return () => client.from('ticket_checklist_items').delete().in('id', made)
        },
      ],
      ['replies', async () => () => client.from('ticket_comments').insert(replies())],
      [
        'a timer that ends another one',
        async () => {
          await client.rpc('start_timer', { ticket_id: high })
          return () => client.rpc('start_timer', { ticket_id: low })
        },
      ],
      [
        'a requester who closes them',
        async () => () => client.rpc('set_own_ticket_status', { ids: ids(), status: 'closed' }),
      ],
      [
        'a person with a new name',
        async () => () => client.from('profiles').update({ name: 'New' }).eq('id', admin.id),
      ],
      [
        'an approver with a new name',
        async () => {
          const { id } = await createAccount(backend, 'Teknik', company)
          for (const ticket_id of [high, low])
            await insert('ticket_approvals', { ticket_id, person_id: id, step: 1, status: 'asked' })
          return () => client.from('users').update({ name: 'New' }).eq('id', id)
        },
      ],
      [
        'a subticket that leaves its parent',
        async () => {
          await backend.sql('update public.tickets set parent_id = $2 where id = $1', [high, low])
          return () => client.rpc('set_ticket_parent', { ids: [high] })
        },
      ],
    ])('tickets are locked in the order of their ids by %s', async (_name, prepare) => {
      const write = await prepare()
      const { asked } = await other.begin(async (sql) => {
        await lock(sql, low, 'no key update')
        const asked = Promise.resolve(write())
        await isWaiting()
        // Refused, if the write already held it.
        await lock(sql, high, 'no key update nowait')
        return { asked }
      })
      expect((await asked).error).toBeNull()
    })

    it('a merge waits for items that are being changed, and ends in no deadlock with them', async () => {
      const [first = '', last = ''] = await items()
      const before = await deadlocks()
      const asked = await other.begin(async (sql) => {
        await sql`select 1 from public.ticket_checklist_items where id = ${last} for no key update`
        const ticked = Promise.resolve(
          client.from('ticket_checklist_items').update({ done: true }).in('ticket_id', ids()).select('id'),
        )
        await isWaiting()
        const merged = Promise.resolve(client.rpc('merge_tickets', { ids: [high], target_id: low }))
        await isWaiting(2)
        return { ticked, merged }
      })
      const ticked = await asked.ticked
      expect(ticked.data?.map((item) => item.id).sort()).toEqual([first, last])
      expect((await asked.merged).error).toBeNull()
      expect(
        await backend.sql('select checklist_total, checklist_done from public.tickets where id = $1', [low]),
      ).toEqual([{ checklist_total: 2, checklist_done: 2 }])
      // A session reports a deadlock within a second of it.
      await new Promise((resolve) => setTimeout(resolve, 1500))
      expect(await deadlocks()).toBe(before)
    })

    it('a person with a new name takes their replies after their tickets, as a merge does', async () => {
      const reply = await insert('ticket_comments', { ticket_id: low, body: 'x', author_id: admin.id })
      const { asked } = await other.begin(async (sql) => {
        await lock(sql, low, 'no key update')
        const asked = Promise.resolve(client.from('profiles').update({ name: 'New' }).eq('id', admin.id))
        await isWaiting()
        await sql`select 1 from public.ticket_comments where id = ${reply} for no key update nowait`
        return { asked }
      })
      expect((await asked).error).toBeNull()
    })

    it('a bulk edit does not wait for what is added to its tickets', async () => {
      await other.begin(async (sql) => {
        await lock(sql, low, 'key share')
        const { data } = await client.rpc('bulk_edit', {
          resource: 'tickets',
          ids: ids(),
          changes: { priority: 'high' },
        })
        expect(data).toMatchObject([{ outcome: 'changed' }, { outcome: 'changed' }])
      })
    })

    it('a bulk edit tells what it did to rows that it waited for', async () => {
      await backend.sql(`update public.tickets set priority = 'high' where id = $1`, [low])
      const { asked } = await other.begin(async (sql) => {
        // As it is wanted when the edit begins, and not any more once the edit has it; and the other way round.
        await sql`update public.tickets set priority = 'low' where id = ${low}`
        await sql`update public.tickets set priority = 'high' where id = ${high}`
        const edit = { resource: 'tickets', ids: ids(), changes: { priority: 'high' } }
        const asked = Promise.resolve(client.rpc('bulk_edit', edit))
        await isWaiting()
        return { asked }
      })
      const { data } = await asked
      expect(
        new Map((data ?? []).map((row: { id: string; outcome: string }) => [row.id, row.outcome])),
      ).toEqual(
        new Map([
          [low, 'changed'],
          [high, 'same'],
        ]),
      )
      expect(
        await backend.sql('select distinct priority from public.tickets where company_id = $1', [company]),
      ).toEqual([{ priority: 'high' }])
    })

    it('a request that ends in a deadlock is asked again before it is answered', async () => {
      const before = await deadlocks()
      const { asked } = await other.begin(async (sql) => {
        // The request waits first, and is the one that the database ends.
        await sql`set local deadlock_timeout = '30s'`
        await lock(sql, low, 'no key update')
        const asked = Promise.resolve(
          client.from('tickets').update({ priority: 'high' }).in('id', ids()).select('priority'),
        )
        await isWaiting()
        await lock(sql, high, 'no key update')
        return { asked }
      })
      expect(await asked).toMatchObject({ error: null, data: [{ priority: 'high' }, { priority: 'high' }] })
      await expect.poll(deadlocks).toBe(before + 1)
    })
  },
)
