// This file holds the undocumented behavior of @supabase/lite and PGlite that we use. Read it before you raise a version.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { inspect } from 'node:util'
import { PostgresConnection } from '@supabase/lite/postgres'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Core, openCore } from '../../supabase/embedded/core'
import { statementBudget } from '../../supabase/embedded/database/budget.mjs'
import type { Engine, Request as EngineRequest } from '../../supabase/embedded/database/engine'
import { createRest } from '../../supabase/embedded/database/rest.mjs'
import { generateKeys } from '../../supabase/embedded/keys'

const ROOT = resolve(import.meta.dirname, '../..')
const keys = generateKeys()
let core: Core
/** As in the thread beside the database, but in this one, where its statements can be watched. */
let rest: Awaited<ReturnType<typeof createRest>>

beforeAll(async () => {
  core = await openCore({
    root: ROOT,
    pgliteUrl: 'memory://',
    blank: true,
    demo: false,
    keys,
    siteUrl: 'http://localhost',
    mail: { send: async () => undefined },
    log: () => undefined,
  })
  await core.database.script(`
    create table public.parents (id int primary key, name text);
    create table public.children (id int primary key, parent_id int references public.parents, name text);
    create table public.rooms (id int, company_id int, name text, primary key (company_id, id));
    create table public.moves (
      id int primary key, company_id int, from_id int, to_id int,
      constraint moves_from_id_fkey foreign key (from_id, company_id) references public.rooms (id, company_id),
      constraint moves_to_id_fkey foreign key (to_id, company_id) references public.rooms (id, company_id)
    );
    grant select on public.parents, public.children, public.rooms, public.moves to service_role;
    insert into public.rooms values (1, 7, 'Store'), (2, 7, 'Office');
    insert into public.moves values (1, 7, 1, 2), (2, 7, 2, null);
    insert into public.parents values (1, 'Parent');
    insert into public.children values (1, 1, 'Child');
    create function public.complain(secret text) returns void language plpgsql as
      $$ begin raise 'refused' using detail = 'because', hint = 'do otherwise'; end $$;
    create function public.headers() returns json language sql stable as
      $$ select to_json(nullif(current_setting('request.headers', true), '')) $$;`)
  rest = await createRest(core.database.connection, keys, false)
})
afterAll(() => core.close())

async function ask(
  path: string,
  { method = 'GET', body, origin }: { method?: string; body?: string; origin?: string } = {},
  key = keys.secretKey,
): Promise<Response> {
  const answer = await rest.answer({
    method,
    url: `http://localhost${path}`,
    headers: [
      ['apikey', key],
      ['content-type', 'application/json'],
      ...(origin === undefined ? [] : [['X-Origin-Id', origin] satisfies [string, string]]),
    ],
    body: body === undefined ? null : new TextEncoder().encode(body),
  })
  return new Response(answer.body, answer as ResponseInit)
}

/** The statements that reach the engine meanwhile. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const engine = core.database.connection.driver as Engine
  const send = vi.spyOn(engine, 'send')
  try {
    await work()
    return send.mock.calls.map(([request]: [EngineRequest, ...unknown[]]) =>
      'sql' in request ? request.sql : '',
    )
  } finally {
    send.mockRestore()
  }
}

describe('the pinned versions', () => {
  it.each(['@supabase/lite', '@electric-sql/pglite'])('%s is exact, and the one installed', (name) => {
    const read = (path: string) => JSON.parse(readFileSync(resolve(ROOT, path), 'utf8'))
    expect(read('package.json').dependencies[name]).toBe(read(`node_modules/${name}/package.json`).version)
  })
})

describe('the connection', () => {
  it('has a base class that knows PostgreSQL and brings no driver', () => {
    const base = Object.getPrototypeOf(PostgresConnection) as { prototype: object }
    for (const name of [
      'withContext',
      'introspect',
      'transaction',
      'applyJwtSessionContext',
      'applyRpcRequestGucs',
      'ensureRlsContext',
    ])
      expect(Object.hasOwn(base.prototype, name), name).toBe(true)
  })

  it('enters a role by our statement alone, and gives the request its budget', async () => {
    let seen: unknown
    const statements = await statementsOf(() =>
      core.database.connection.withContext(
        { auth: { role: 'anon', uid: '', jwt: { role: 'anon', sub: 'x' } } },
        async (db) => {
          const { rows } = await sql<Record<string, string>>`select current_user::text as role,
            current_setting('request.jwt.claims', true)::json ->> 'sub' as sub`.execute(db)
          seen = { ...rows[0], budget: statementBudget() }
        },
      ),
    )
    expect(seen).toEqual({ role: 'anon', sub: 'x', budget: 3_000 })
    expect(statements).toHaveLength(3)
    expect(statements[0]).toContain(`set_config('role'`)
    expect(statements[2]).toBe('commit')
    const [after] = await core.database.query('select current_user::text as role')
    expect(after?.role).not.toBe('anon')
  })

  it('gets one header of a request, in its proper form, and never the key or the token', async () => {
    const read = async (origin?: string) =>
      (await ask('/rest/v1/rpc/headers', { method: 'POST', body: '{}', origin })).json()
    const origin = '0123456789abcdef'.repeat(2)
    expect(await read(origin)).toBe(JSON.stringify({ 'x-origin-id': origin }))
    for (const other of [undefined, '', origin.toUpperCase(), `${origin}0`, 'f'.repeat(8000)])
      expect(await read(other)).toBeNull()
    // The agents' calls and the rest of the server run outside of any request.
    expect(await core.database.query('select public.headers()')).toEqual([{ headers: null }])
  })

  it('tells which function is called, so that it gets the time it declares', async () => {
    const rpc = { method: 'POST', path: '/rpc/import_rows', readOnly: false, requestHeaders: {} }
    const vars = { auth: { role: 'authenticated' } }
    const budget = await core.database.connection.withContext(vars, async () => statementBudget(), { rpc })
    expect(budget).toBe(60_000)
  })

  it('grants nothing by itself once rlsState is active', async () => {
    expect(Reflect.get(core.database.connection, 'rlsState')).toBe('active')
    expect((await ask('/rest/v1/companies?select=id', {}, keys.publishableKey)).status).toBe(401)
    const [row] = await core.database.query(
      `select has_table_privilege('anon', 'public.companies', 'select') as can`,
    )
    expect(row).toEqual({ can: false })
  })
})

describe('answers', () => {
  it('embed both ways of a foreign key', async () => {
    const down = await ask('/rest/v1/parents?select=name,children(name)')
    expect(await down.json()).toEqual([{ name: 'Parent', children: [{ name: 'Child' }] }])
    const up = await ask('/rest/v1/children?select=name,parents!children_parent_id_fkey(name)')
    expect(await up.json()).toEqual([{ name: 'Child', parents: { name: 'Parent' } }])
  })

  it('tell several keys of one table apart by name, if their first columns differ', async () => {
    const select = 'id,from:rooms!moves_from_id_fkey(name),to:rooms!moves_to_id_fkey(name)'
    const answer = await ask(`/rest/v1/moves?select=${encodeURIComponent(select)}&order=id`)
    expect(await answer.json()).toEqual([
      { id: 1, from: { name: 'Store' }, to: { name: 'Office' } },
      { id: 2, from: { name: 'Office' }, to: null },
    ])
  })

  it('carry code, message, details and hint of an error, and log no parameter', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const answer = await ask('/rest/v1/rpc/complain', {
      method: 'POST',
      body: JSON.stringify({ secret: 'TOPSECRET' }),
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({
      code: 'P0001',
      message: 'refused',
      details: 'because',
      hint: 'do otherwise',
    })
    expect(JSON.stringify(said.mock.calls)).not.toContain('TOPSECRET')
    said.mockRestore()
  })

  it('log a table that is not there in one line', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const answer = await ask('/rest/v1/nowhere')
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'PGRST205' })
    expect(said.mock.calls.flat().map((value) => inspect(value))).toEqual([
      "Could not find the table 'public.nowhere' in the schema cache",
    ])
    said.mockRestore()
  })

  it('ask to come back later while the database is restarted', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const engine = core.database.connection.driver as Engine
    vi.spyOn(engine, 'session').mockRejectedValueOnce(
      Object.assign(new Error('restarting'), { code: '57P03' }),
    )
    const answer = await ask('/rest/v1/parents?select=name')
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('2')
    vi.restoreAllMocks()
  })

  it('do not take a catalog that cannot be read for an empty one', async () => {
    const { database } = core
    const engine = database.connection.driver as Engine
    await rest.reload()
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const send = vi
      .spyOn(engine, 'send')
      .mockRejectedValue(Object.assign(new Error('gone'), { code: '57P01', severity: 'FATAL' }))
    const keysThen = await rest.foreignKeys().catch((error: unknown) => error)
    const answerThen = await ask('/rest/v1/parents?select=name').catch((error: unknown) => error)
    send.mockRestore()
    logged.mockRestore()
    expect(keysThen).toMatchObject({ code: '08006' })
    expect(answerThen).toMatchObject({ code: '08006' })
    expect(await rest.foreignKeys()).not.toEqual([])
    expect((await ask('/rest/v1/parents?select=name')).status).toBe(200)
  })

  it('know a table made meanwhile after clearSchemaCache, not before', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    await core.database.script(
      'create table public.later (id int); grant select on public.later to service_role',
    )
    expect((await ask('/rest/v1/later?select=id')).status).toBe(404)
    await core.database.connection.clearSchemaCache()
    expect((await ask('/rest/v1/later?select=id')).status).toBe(200)
    said.mockRestore()
  })
})
