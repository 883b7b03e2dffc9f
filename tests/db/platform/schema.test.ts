import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderBaseline, schemaFiles } from '../../../scripts/schema/files'
import { type Core, openCore } from '../../../supabase/embedded/core'
import type { Query } from '../../../supabase/embedded/database/database'
import { generateKeys } from '../../../supabase/embedded/keys'
import { sqlFiles } from '../../../supabase/embedded/migrations'
import { type RunningServer, startServer } from '../../../supabase/embedded/server'
import { type Driver, testBackend } from '../../support/backend'
import { prepareHosted, supabase, whyNoCli } from '../../support/hosted'
import { patience } from '../../support/patience'
import { postgresBinaries, startPostgres, type TestPostgres, whyNoPostgres } from '../../support/postgres'
import { schemaDifference, schemaLines } from '../../support/schema-lines'

const ROOT = resolve(import.meta.dirname, '../../..')
const MIGRATIONS = join(ROOT, 'supabase/migrations')
const names = (folder: string) => sqlFiles(folder).map(({ name }) => name)
const BASELINE = names(MIGRATIONS)[0] ?? ''
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

  it('is what supabase/schemas says, where PostgreSQL accepts the body of each function', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'konsol-schemas-'))
    try {
      mkdirSync(join(folder, 'supabase/migrations'), { recursive: true })
      writeFileSync(join(folder, 'supabase/migrations', BASELINE), renderBaseline(schemaFiles(ROOT)))
      const core = await openCore({
        root: folder,
        pgliteUrl: 'memory://',
        blank: true,
        demo: false,
        keys: generateKeys(),
        siteUrl: 'http://localhost',
        mail: { send: async () => undefined },
        log: () => undefined,
      })
      expect(schemaDifference(await schemaLines(core.database.query), expected)).toEqual([])
      // The schemas are made without this check, for a function may name what a later file makes.
      const functions = await core.database.query<{ text: string }>(
        `select pg_get_functiondef(p.oid) as text from pg_proc p
         where p.pronamespace in ('public'::regnamespace, 'app'::regnamespace) and p.prokind = 'f'`,
      )
      expect(functions.length).toBeGreaterThan(500)
      await core.database.script(functions.map(({ text }) => text).join(';\n'), core.database.owner)
      await core.close()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
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

/** Git's output; null where it fails, such as in a tree without history. */
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
function previousSchema(own: readonly string[]): { commit: string; before: string[] } | string {
  const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'supabase/migrations')
  const head = namesAt('HEAD') ?? []
  const commit = own.some((name) => !head.includes(name)) ? 'HEAD' : `${added}^`
  const before = namesAt(commit)
  if (!added || !before) return 'there is no git history'
  return before[0] === own[0] ? { commit, before } : 'no migration was added since the first schema'
}

/** Both run the same SQL; a PostgreSQL loads the demo data in a third of the time. */
const upgraded: Driver[] =
  process.env.THOROUGH === '1' && !noPostgres ? ['pglite', 'postgres'] : [noPostgres ? 'pglite' : 'postgres']

describe.each(upgraded)('a %s with the demo data of the commit before the newest migrations', (driver) => {
  const own = names(MIGRATIONS)
  const previous = previousSchema(own)
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
        expect(core.applied).toEqual(own.filter((name) => !before.includes(name)))
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

const REPLACED = readFileSync(join(ROOT, 'supabase/replaced-migrations.txt'), 'utf8').trim().split('\n')

/** The last commit with the migrations that the baseline replaced; undefined without history. */
function commitOfReplaced(): string | undefined {
  const gone = git(
    'log',
    '-1',
    '--diff-filter=D',
    '--format=%H',
    '--',
    `supabase/migrations/${REPLACED[0]}.sql`,
  )
  return gone ? `${gone}^` : undefined
}

describe('a database of version 0.1', () => {
  const commit = commitOfReplaced()
  if (!commit) console.warn('The takeover of version 0.1 is not tested: there is no git history.')
  let folder: string
  let database: TestPostgres | undefined
  const said: string[] = []
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
      log: (line) => said.push(line),
    })
  const countsOf = async ({ database: { query } }: Core) => {
    const tables = await query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c
       where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'app'::regnamespace)
         -- Later migrations add steps.
         and c.oid <> 'app.tick_step'::regclass order by 1`,
    )
    const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as rows from ${name}`)
    return query<{ name: string; rows: number }>(`${counts.join(' union all ')} order by 1`)
  }

  beforeAll(async () => {
    if (!commit) return
    folder = mkdtempSync(join(tmpdir(), 'konsol-before-'))
    database = noPostgres ? undefined : await startPostgres()
    execFileSync('sh', ['-c', 'git -C "$0" archive "$1" supabase | tar -x -C "$2"', ROOT, commit, folder])
  })
  afterAll(async () => {
    await database?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  it.skipIf(!commit)(
    'with some of its migrations says what is missing; with all of them it is taken over, and no row is touched',
    { timeout: patience(180_000) },
    async () => {
      const migrations = join(folder, 'supabase/migrations')
      const last = `${REPLACED.at(-1)}.sql`
      renameSync(join(migrations, last), join(folder, last))
      await (await open(folder, true)).close()
      const count = REPLACED.length
      await expect(open(ROOT, false)).rejects.toThrow(
        `The database has ${count - 1} of the ${count} migrations of Konsol 0.1. Start the last version 0.1 once`,
      )

      renameSync(join(folder, last), join(migrations, last))
      const before = await open(folder, false)
      const rows = await countsOf(before)
      await before.close()
      expect(rows.find(({ name }) => name === 'devices' || name === 'public.devices')?.rows).toBeGreaterThan(
        100,
      )

      const core = await open(ROOT, false)
      expect(said.join('\n')).toContain('The database of Konsol 0.1 was taken over with all its rows')
      const known = names(migrations)
      expect(core.applied).toEqual(
        names(MIGRATIONS).filter((name) => name !== BASELINE && !known.includes(name)),
      )
      const found = (await schemaLines(core.database.query)).filter((line) => !/\bdemo_/.test(line))
      expect(schemaDifference(found, expected)).toEqual([])
      const after = await countsOf(core)
      // A fill of permission lines changes the tables of the lines, and the security log tells of it.
      const isOfLines = ({ name }: { name: string }) => /\b(policy_rule|permission|security_log)$/.test(name)
      const kept = after.filter((each) => rows.some(({ name }) => name === each.name) && !isOfLines(each))
      // The store of packages was empty and is gone: packages are files.
      const isLeft = (each: { name: string }) =>
        !isOfLines(each) && !/\.package_(file_removals|store|uploads)$/.test(each.name)
      expect(kept).toEqual(rows.filter(isLeft))
      await core.close()
      const again = await open(ROOT, false)
      expect(again.applied).toEqual([])
      await again.close()
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
