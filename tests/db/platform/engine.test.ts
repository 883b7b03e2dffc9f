import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { statementBudget, withBudget } from '../../../supabase/embedded/database/budget.mjs'
import { openPglite } from '../../../supabase/embedded/database/pglite'
import { ROOT } from '../../../supabase/embedded/root'
import { type RunningServer, startServer } from '../../../supabase/embedded/server'
import { readSnapshot, snapshotFile } from '../../../supabase/embedded/snapshot'
import { createAccount } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'

/** Ends never: whatever stops it is the budget. */
const ENDLESS = 'with recursive t as (select 1 union all select 1 from t) select count(*) from t'
/** Deeper than the thread's stack, which PGlite takes for success without rows. */
const TOO_DEEP = `select '{}'::jsonb${`->'a'`.repeat(40_000)} as x`

type Opened = Awaited<ReturnType<typeof openPglite>>

describe('the embedded database', () => {
  let folder: string
  let database: Opened
  const said: string[] = []
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'konsol-engine-'))
    // Spares initdb where another suite has left one.
    const snapshot = readSnapshot(snapshotFile(ROOT, false))
    database = await openPglite({ dataDir: join(folder, 'pgdata'), snapshot, log: (line) => said.push(line) })
    await database.script('create table public.kept (name text unique)')
  })
  afterAll(async () => {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('ends a statement whose budget ran out, and keeps what was committed', async () => {
    await database.query(`insert into kept values ('before')`)
    await expect(withBudget(100, () => database.query(ENDLESS))).rejects.toMatchObject({ code: '57014' })
    expect(said.at(-1)).toContain('took longer than 0.1 s')
    expect(await database.query('select name from kept')).toEqual([{ name: 'before' }])
    expect(database.state()).toBe('ready')
  })

  it('never takes a stack overflow for an answer, to a read or to a write', async () => {
    await expect(database.query(TOO_DEEP)).rejects.toMatchObject({ code: '54001' })
    await expect(
      database.query(`insert into kept select (${TOO_DEEP.slice('select '.length, -' as x'.length)})::text`),
    ).rejects.toMatchObject({ code: '54001' })
    await database.query(`insert into kept values ('after')`)
    await expect(database.query(`insert into kept values ('after')`)).rejects.toMatchObject({ code: '23505' })
    expect(await database.query('select count(*)::int as n from kept')).toEqual([{ n: 2 }])
  })

  it('runs nothing of a transaction on the database that came after it, and says of it that messages may be missing', async () => {
    const heard: string[] = []
    await database.listen(
      'news',
      (payload) => heard.push(payload),
      () => heard.push('gap'),
    )
    await database.query(`notify news, 'one'`)
    const { kysely } = database.connection
    const seen: unknown[] = []
    await expect(
      kysely.transaction().execute(async (db) => {
        await sql`set local role pg_monitor`.execute(db)
        await sql
          .raw(TOO_DEEP)
          .execute(db)
          .catch((error) => seen.push(error.code))
        // Would run as the owner of everything, outside of any transaction.
        await sql`insert into kept values ('escaped')`.execute(db)
      }),
    ).rejects.toMatchObject({ code: '57P01' })
    expect(seen).toEqual(['54001'])
    expect(await database.query(`select 1 from kept where name = 'escaped'`)).toEqual([])
    await database.query(`notify news, 'two'`)
    expect(heard).toEqual(['one', 'gap', 'two'])
  })

  it('says that a database in memory is lost, and answers nothing from an empty one', async () => {
    const snapshot = new Uint8Array(await database.dump())
    const lost = await openPglite({ dataDir: 'memory://', snapshot, log: () => undefined })
    expect(await lost.query('select name from kept')).toEqual(await database.query('select name from kept'))
    await expect(lost.query(TOO_DEEP)).rejects.toMatchObject({ code: '54001' })
    await expect(lost.query('select name from kept')).rejects.toThrow(/in memory, and is lost/)
    expect(lost.state()).toBe('down')
    await lost.close()
  })

  it('closes while a statement runs', async () => {
    const running = expect(database.query(ENDLESS)).rejects.toMatchObject({ code: '57P01' })
    await expect.poll(() => database.state()).toBe('busy')
    await database.close()
    await running
    await expect(database.query('select 1')).rejects.toMatchObject({ code: '57P01' })
  })
})

describe('a server whose database is busy', () => {
  let folder: string
  let server: RunningServer
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'konsol-busy-'))
    server = await startServer({
      port: 0,
      host: '127.0.0.1',
      dataDir: folder,
      demo: false,
      serveDist: null,
      timers: false,
      log: () => undefined,
    })
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('answers health checks meanwhile, and requests once it is there again', async () => {
    const headers = { apikey: server.serviceKey }
    const busy = expect(withBudget(1_000, () => server.query(ENDLESS))).rejects.toMatchObject({
      code: '57014',
    })
    const health = await fetch(`${server.url}/healthz`)
    expect(await health.json()).toEqual({ ok: true, database: 'busy' })
    const waiting = await fetch(`${server.url}/rest/v1/companies?select=id`, { headers })
    expect(waiting.status).toBe(200)
    await busy
  })

  it('answers 500 with the reason to a request that breaks the database, and the next one rightly', async () => {
    const headers = { apikey: server.serviceKey, 'content-type': 'application/json' }
    await server.query(`create function public.too_deep() returns jsonb language plpgsql as $$
      declare x jsonb; begin execute $q$${TOO_DEEP}$q$ into x; return x; end $$`)
    await server.query(`notify pgrst, 'reload schema'`)
    await expect
      .poll(async () => {
        const answer = await fetch(`${server.url}/rest/v1/rpc/too_deep`, {
          method: 'POST',
          headers,
          body: '{}',
        })
        return { status: answer.status, ...((await answer.json()) as { code: string }) }
      })
      .toMatchObject({ status: 500, code: '54001' })
    const added = await fetch(`${server.url}/rest/v1/companies`, {
      method: 'POST',
      headers: { ...headers, prefer: 'return=representation' },
      body: JSON.stringify({ name: 'Kept' }),
    })
    expect(added.status).toBe(201)
    const anonymous = await fetch(`${server.url}/rest/v1/companies?select=id`, {
      headers: { apikey: server.publishableKey },
    })
    expect(anonymous.status).toBe(401)
  })

  it('ends a request whose function takes longer than it declares, and answers the next one', async () => {
    const headers = { apikey: server.serviceKey, 'content-type': 'application/json' }
    await server.query(`create function public.endless() returns bigint language sql volatile
      set statement_timeout = '300ms' as $$ ${ENDLESS} $$`)
    await server.query(`notify pgrst, 'reload schema'`)
    const call = () =>
      fetch(`${server.url}/rest/v1/rpc/endless`, { method: 'POST', headers, body: '{}' }).then(
        async (answer) => ({ status: answer.status, ...((await answer.json()) as { code: string }) }),
      )
    await expect.poll(call).toMatchObject({ status: 500, code: '57014' })
    const list = await fetch(`${server.url}/rest/v1/companies?select=id`, { headers })
    expect(list.status).toBe(200)
  })

  it('begins nothing for a client that is gone', async () => {
    const headers = { apikey: server.serviceKey, 'content-type': 'application/json' }
    const busy = server.query('select pg_sleep(1)')
    const client = new AbortController()
    const asked = fetch(`${server.url}/rest/v1/companies`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'Given up' }),
      signal: client.signal,
    })
    // Answered on the same server after the first was read, so that one waits in the queue by now.
    await fetch(`${server.url}/healthz`)
    client.abort()
    await expect(asked).rejects.toThrow()
    await busy
    expect(await server.query(`select 1 from public.companies where name = 'Given up'`)).toEqual([])
  })

  it('stops while a query runs and sockets are open', async () => {
    const { hostname, port } = new URL(server.url)
    const halfSent = connect(Number(port), hostname).on('error', () => undefined)
    halfSent.write('POST /rest/v1/companies HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{')
    const url = `ws://${hostname}:${port}/realtime/v1/websocket?apikey=${server.publishableKey}`
    const socket = new WebSocket(url)
    await new Promise((open) => socket.once('open', open))
    const running = expect(server.query(ENDLESS)).rejects.toMatchObject({ code: '57P01' })
    const idle = await fetch(`${server.url}/healthz`)
    expect(await idle.json()).toMatchObject({ database: 'busy' })
    await server.stop()
    await running
  })
})

describe.each(drivers('timeouts'))('budgets on %s', (driver) => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(async () => {
    await backend?.sql('drop function if exists public.how_long, public.how_long_declared')
    await backend?.sql(`notify pgrst, 'reload schema'`)
    await backend?.stop()
  })

  it('are as long as the role’s, or as the function declares', async () => {
    await backend.sql(`create function public.how_long() returns text language sql as
      $$ select current_setting('statement_timeout') $$`)
    await backend.sql(`create function public.how_long_declared() returns text language sql set statement_timeout = '25s'
      as $$ select 'declared' $$`)
    await backend.sql(`grant execute on function public.how_long, public.how_long_declared to authenticated`)
    await backend.sql(`notify pgrst, 'reload schema'`)
    const { email } = await createAccount(backend, 'Super Admin', null)
    const client = await backend.client(email)
    const call = async (name: string) => (await client.rpc(name)).data
    // PGlite keeps no time: the engine does.
    await expect.poll(() => call('how_long')).toBe(driver === 'postgres' ? '8s' : '0')
    expect(await call('how_long_declared')).toBe('declared')
    expect(statementBudget()).toBe(60_000)
  })
})
