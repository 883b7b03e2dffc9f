import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Core, openCore } from '../../supabase/embedded/core'
import type { Query } from '../../supabase/embedded/database/database'
import { generateKeys } from '../../supabase/embedded/keys'
import { sqlFiles } from '../../supabase/embedded/migrations'
import { type RunningServer, startServer } from '../../supabase/embedded/server'
import { type Driver, testBackend } from '../support/backend'
import { prepareHosted, supabase, whyNoCli } from '../support/hosted'
import { patience } from '../support/patience'
import { postgresBinaries, startPostgres, type TestPostgres, whyNoPostgres } from '../support/postgres'
import { schemaDifference, schemaLines } from '../support/schema-lines'

const ROOT = resolve(import.meta.dirname, '../..')
const MIGRATIONS = join(ROOT, 'supabase/migrations')
const noPostgres = whyNoPostgres()
const noCli = whyNoCli()
if (noCli) console.warn(`Not tested with the Supabase CLI: ${noCli}.`)

/** Asks a database as a user of its own. */
async function asked<R>(url: string, ask: (query: Query) => Promise<R>): Promise<R> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    return await ask(async <R>(text: string) => [...(await sql.unsafe(text))] as R[])
  } finally {
    await sql.end()
  }
}

let expected: string[]
beforeAll(async () => {
  const pglite = await testBackend({ driver: 'pglite', demo: false })
  expected = await schemaLines(pglite.sql)
  await pglite.stop()
})

describe('the schema', () => {
  it('is read whole', () => {
    const kinds = new Set(expected.map((line) => line.slice(1).split(',')[0]))
    expect(kinds.size).toBe(10)
    expect(expected.length).toBeGreaterThan(1500)
  })

  it.each(noPostgres ? [] : postgresBinaries())(
    'is the same on PGlite and on PostgreSQL $version, which two servers share that start at the same time',
    async ({ place }) => {
      const database = await startPostgres({ place })
      const start = () =>
        startServer({
          port: 0,
          host: '127.0.0.1',
          dataDir: 'memory://',
          databaseUrl: database.url,
          demo: false,
          serveDist: null,
          timers: false,
          log: () => undefined,
        })
      const companies = ({ url, serviceKey }: RunningServer, init: RequestInit = {}) =>
        fetch(`${url}/rest/v1/companies?select=name`, {
          ...init,
          headers: { apikey: serviceKey, 'content-type': 'application/json' },
        })
      try {
        const servers = await Promise.allSettled([start(), start()])
        const [one, two] = servers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
        try {
          if (!one || !two) throw servers.find((each) => each.status === 'rejected')?.reason
          expect(schemaDifference(await asked(database.url, schemaLines), expected)).toEqual([])
          const added = await companies(one, { method: 'POST', body: JSON.stringify({ name: 'Shared' }) })
          expect(added.status).toBe(201)
          expect(await (await companies(two)).json()).toEqual([{ name: 'Shared' }])
        } finally {
          await Promise.all([one?.stop(), two?.stop()])
        }
      } finally {
        await database.stop()
      }
    },
  )
})

/** What git prints; null where it fails, such as in a tree without history. */
function git(...args: string[]): string | null {
  try {
    return execFileSync('git', ['-C', ROOT, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return null
  }
}

const namesAt = (commit: string): string[] | undefined =>
  git('ls-tree', '--name-only', commit, 'supabase/migrations/')
    ?.split('\n')
    .filter(Boolean)
    .map((path) => basename(path))

/** The newest commit that lacks a migration of this tree, with its migrations; or why no such commit exists. */
function previousSchema(names: readonly string[]): { commit: string; before: string[] } | string {
  const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'supabase/migrations')
  const head = namesAt('HEAD') ?? []
  const commit = names.some((name) => !head.includes(name)) ? 'HEAD' : `${added}^`
  const before = namesAt(commit)
  if (!added || !before) return 'there is no git history'
  return before[0] === names[0] ? { commit, before } : 'no migration was added since the first schema'
}

/** Both run the same SQL; a PostgreSQL loads the demo data in a third of the time. */
const upgraded: Driver[] =
  process.env.THOROUGH === '1' && !noPostgres ? ['pglite', 'postgres'] : [noPostgres ? 'pglite' : 'postgres']

describe.each(upgraded)('a %s with the demo data of the commit before the newest migrations', (driver) => {
  const names = sqlFiles(MIGRATIONS).map(({ name }) => name)
  const previous = previousSchema(names)
  if (typeof previous === 'string') console.warn(`Upgrades are not tested: ${previous}.`)

  it.skipIf(typeof previous === 'string')(
    'has the schema of a new one after the upgrade, and its rows',
    { timeout: patience(180_000) },
    async () => {
      const { commit, before } = previous as Exclude<typeof previous, string>
      const folder = mkdtempSync(join(tmpdir(), 'konsol-before-'))
      const database = driver === 'postgres' ? await startPostgres() : undefined
      const open = (root: string, blank: boolean) =>
        openCore({
          root,
          pgliteUrl: join(folder, 'pgdata'),
          ...(database ? { databaseUrl: database.url } : {}),
          blank,
          demo: blank,
          keys: generateKeys(),
          siteUrl: 'http://localhost',
          mail: { send: async () => undefined },
          log: () => undefined,
        })
      const rowsOf = async (core: Core) => {
        const rows = await core.database.query('select count(*)::int as devices from public.devices')
        await core.close()
        return rows
      }
      try {
        execFileSync('sh', ['-c', 'git -C "$0" archive "$1" supabase | tar -x -C "$2"', ROOT, commit, folder])
        const rows = await rowsOf(await open(folder, true))
        const core = await open(ROOT, false)
        expect(core.applied).toEqual(names.filter((name) => !before.includes(name)))
        const lines = await schemaLines(core.database.query)
        const found = lines.filter((line) => !/\bdemo_/.test(line))
        expect(schemaDifference(found, expected)).toEqual([])
        expect(await rowsOf(core)).toEqual(rows)
        expect(rows).not.toEqual([{ devices: 0 }])
      } finally {
        await database?.stop()
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )
})

describe.skipIf(noPostgres)('the schema of a hosted project', () => {
  let database: TestPostgres
  let owner: string
  beforeAll(async () => {
    database = await startPostgres()
    owner = await prepareHosted(database.url)
  })
  afterAll(() => database?.stop())

  it(`is the same, ${noCli ? 'pushed without the Supabase CLI' : 'pushed by the Supabase CLI'}`, async () => {
    if (noCli)
      await asked(owner, async (query) => {
        for (const { sql } of sqlFiles(MIGRATIONS)) await query(sql)
      })
    else expect(await supabase(owner, ['db', 'push'])).toContain('Finished supabase db push.')
    expect(schemaDifference(await asked(owner, schemaLines), expected)).toEqual([])
  })

  it('broadcasts the origin of a request through Realtime', async () => {
    const origin = '0123456789abcdef'.repeat(2)
    const payloads = await asked(owner, async (query) => {
      const send = (headers: object, user: string) =>
        query(`begin;
          select set_config('request.headers', '${JSON.stringify(headers)}', true),
            set_config('request.jwt.claims', '{"role": "authenticated"${user}}', true);
          select app.send_live('platform', '{"table": "groups"}');
          commit`)
      // PostgREST passes all headers, those of an agent too.
      const headers = {
        host: 'project.supabase.co',
        'x-client-info': 'supabase-js-web',
        'x-origin-id': origin,
      }
      const user = ', "sub": "00000000-0000-4000-8000-000000000001"'
      await send(headers, user)
      await send(headers, '')
      for (const other of [origin.toUpperCase(), `${origin}0`, `"}${origin}`, 'f'.repeat(8000)])
        await send({ ...headers, 'x-origin-id': other }, user)
      await query(`select app.send_live('platform', '{"table": "groups"}')`)
      // The migrations that filled the permission lines broadcast too.
      return query<{ payload: object }>(
        `select payload from realtime.messages where payload ->> 'table' = 'groups'`,
      )
    })
    expect(payloads.map(({ payload }) => payload)).toEqual([
      { table: 'groups', origin },
      ...Array(6).fill({ table: 'groups' }),
    ])
  })

  it.skipIf(noCli)('has no error that `supabase db lint` finds', async ({ skip }) => {
    const [check] = await asked(owner, (query) =>
      query(`select from pg_extension where extname = 'plpgsql_check'`),
    )
    skip(!check, 'PostgreSQL has no extension plpgsql_check here')
    const said = await supabase(owner, [
      'db',
      'lint',
      '--schema',
      'public,app',
      '--level',
      'error',
      '--fail-on',
      'error',
    ])
    expect(said).toMatch(/^Target: .+\s+Linting schema: public\s+Linting schema: app\s*$/)
  })
})
