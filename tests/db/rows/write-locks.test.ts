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
    const isWaiting = () =>
      expect
        .poll(() => backend.sql('select 1 from pg_locks where not granted'), { interval: 10 })
        .not.toHaveLength(0)
    const deadlocks = async () => {
      await backend.sql('select pg_stat_clear_snapshot()')
      const [row] = await backend.sql<{ deadlocks: number }>(
        'select deadlocks::integer from pg_stat_database where datname = current_database()',
      )
      return row?.deadlocks ?? 0
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
