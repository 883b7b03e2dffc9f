import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SupabaseClient } from '@supabase/supabase-js'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_ROWS } from '@/resource/tools/import/file-table'
import type { ImportAnswer } from '@/resource/tools/import/import-call'
import { createAccount, createCompany } from '../../support/accounts'
import {
  DEMO_PASSWORD,
  type Driver,
  drivers,
  plainClient,
  type TestBackend,
  testBackend,
} from '../../support/backend'
import { patience } from '../../support/patience'
import { startServerProcess } from '../../support/server-process'
import { insertInto } from '../support/as-user'
import { linesOf } from '../support/import-call'

/** As many as the browser takes: the database must not take fewer. */
const ROWS = MAX_ROWS
const SLOW = { timeout: patience(180_000) }
const rows = linesOf(
  Array.from({ length: ROWS }, (_, n) => ({
    name: `N${n}`,
    category_id: 'Ağ',
    description: `Açıklama ${n} `.repeat(8),
  })),
)
const databases = drivers('sessions', 'listen')
const isThorough = process.env.THOROUGH === '1'
/** For what does not depend on how many they are. */
const fewer = isThorough ? rows : rows.slice(0, ROWS / 10)
/** The embedded database is slower: it takes fewer where a PostgreSQL takes all of them. */
const rowsFor = (driver: Driver) => (driver === 'pglite' && databases.includes('postgres') ? fewer : rows)
const OF_COMPANY = 'select count(*)::int as n from public.ticket_issues where company_id = $1'

type Sql = TestBackend['sql']

/** A company that may import issues, and its admin. */
async function furnish(sql: Sql) {
  const company = await createCompany({ sql })
  await sql(insertInto('ticket_categories', { company_id: company, name: 'Ağ' }))
  return { company, ...(await createAccount({ sql }, 'Admin', company)) }
}

const importRows = (client: SupabaseClient, company: string, given: readonly object[]) =>
  client.rpc('import_rows', {
    resource: 'ticket_issues',
    rows: given,
    company,
    keys: ['name'],
    lookups: { category_id: 'name' },
    dry_run: false,
  })

describe.each(databases)('an import of many rows on %s', (driver) => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
  })
  afterAll(() => backend?.stop())

  it('is written by one call, or not at all, and only what was written is heard of', SLOW, async () => {
    const { company, email } = await furnish(backend.sql)
    const client = await backend.client(email)
    const left = async () => [
      ...(await backend.sql(OF_COMPANY, [company])),
      ...(await backend.sql(
        `select count(*)::int as n from public.audit_log where company_id = $1 and table_name = 'ticket_issues'`,
        [company],
      )),
    ]
    await client.realtime.setAuth()
    const heard: string[] = []
    const states: string[] = []
    client
      .channel(`company:${company}`, { config: { private: true } })
      .on('broadcast', { event: 'change' }, ({ payload }) => {
        heard.push(`${payload.table} ${payload.op}`)
      })
      .subscribe((state) => void states.push(state))
    await expect.poll(() => states).toEqual(['SUBSCRIBED'])

    const given = rowsFor(driver)
    const line = fewer.length + 1
    const last = { line, values: { name: 'last', category_id: 'Ağ', priority: 'wrong' } }
    const refused = await importRows(client, company, [...fewer.slice(0, -1), last])
    expect(refused.error).toBeNull()
    expect(refused.data as ImportAnswer).toMatchObject({
      written: false,
      inserted: fewer.length - 1,
      errors: [{ line, column: 'priority', code: '23514' }],
      more: false,
    })
    expect(await left()).toEqual([{ n: 0 }, { n: 0 }])

    const { data } = await importRows(client, company, given)
    expect(data as ImportAnswer).toEqual({
      inserted: given.length,
      updated: 0,
      same: 0,
      written: true,
      errors: [],
      more: false,
    })
    expect(await left()).toEqual([{ n: given.length }, { n: given.length }])
    await expect.poll(() => heard).toEqual(['ticket_issues insert'])
    await client.removeAllChannels()
  })

  it.runIf(driver === 'postgres')('leaves nothing when its session is ended half-way', SLOW, async () => {
    const { company, id } = await furnish(backend.sql)
    await backend.sql(`create function app.test_pause() returns trigger language plpgsql as
      $$ begin perform pg_sleep(60); return new; end $$`)
    await backend.sql(`create trigger zz_pause before insert on public.ticket_issues for each row
      when (new.name = 'N${fewer.length / 2}') execute function app.test_pause()`)
    // A session of its own, as the API would open one: the server's are for other tests.
    const [at] = await backend.sql<{ port: number }>('select inet_server_port() as port')
    const session = postgres({ host: '127.0.0.1', port: at?.port ?? 0, user: 'postgres', max: 1 })
    await session`select set_config('request.jwt.claims', ${JSON.stringify({ sub: id })}, false),
      set_config('request.jwt.claim.sub', ${id}, false), set_config('role', 'authenticated', false)`
    const running =
      session`select public.import_rows('ticket_issues', ${JSON.stringify(fewer)}::text::jsonb, ${company}, '{name}',
      '{"category_id": "name"}', 'upsert', false)`.then(
        () => 'done',
        (error: { code?: string }) => error.code,
      )
    const paused = `select pid from pg_stat_activity where wait_event = 'PgSleep'`
    await expect.poll(() => backend.sql(paused), { timeout: patience(45_000), interval: 50 }).toHaveLength(1)
    await backend.sql(`select pg_terminate_backend(pid) from (${paused}) p`)
    expect(await running).toBeOneOf(['57P01', 'CONNECTION_CLOSED'])
    await session.end({ timeout: 1 })
    expect(await backend.sql(OF_COMPANY, [company])).toEqual([{ n: 0 }])
  })
})

// The other process that is killed while it writes is in start.test.ts.
it.runIf(isThorough)(
  'leaves nothing in the embedded database when its process is killed half-way',
  SLOW,
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'konsol-import-'))
    const first = await startServerProcess({ dataDir, brief: true })
    const sql = first.query as Sql
    const { company, email } = await furnish(sql)
    const client = plainClient(first.url, first.key)
    expect((await client.auth.signInWithPassword({ email, password: DEMO_PASSWORD })).error).toBeNull()
    const [file] = await sql<{ path: string }>(`select pg_relation_filepath('public.ticket_issues') as path`)
    const path = join(dataDir, 'pgdata', file?.path ?? '')

    const state = { isAnswered: false }
    const running = importRows(client, company, rows).then(({ data }) => {
      state.isAnswered = data !== null
    })
    // The table grows in the folder while the one session is busy and answers nobody.
    await expect
      .poll(() => statSync(path).size, { timeout: patience(45_000), interval: 5 })
      .toBeGreaterThan(1_000_000)
    await first.kill()
    await running
    expect(state.isAnswered).toBe(false)

    const second = await startServerProcess({ dataDir, brief: true })
    const [left] = await second.query(OF_COMPANY, [company])
    expect(left?.n).toBeOneOf([0, ROWS])
    await second.stop()
    rmSync(dataDir, { recursive: true, force: true })
  },
)
