import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCore } from '../../supabase/embedded/core'
import type { Query } from '../../supabase/embedded/database/database'
import { generateKeys } from '../../supabase/embedded/keys'
import { applyMigrations, sqlFiles } from '../../supabase/embedded/migrations'
import { startServer } from '../../supabase/embedded/server'
import { testBackend } from '../support/backend'
import { prepareHosted, supabase, whyNoCli } from '../support/hosted'
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
    'is the same on PGlite and on PostgreSQL $version',
    async ({ place }) => {
      const database = await startPostgres({ place })
      try {
        const server = await startServer({
          port: 0,
          host: '127.0.0.1',
          dataDir: 'memory://',
          databaseUrl: database.url,
          demo: false,
          serveDist: null,
          timers: false,
          log: () => undefined,
        })
        await server.stop()
        expect(schemaDifference(await asked(database.url, schemaLines), expected)).toEqual([])
      } finally {
        await database.stop()
      }
    },
  )
})

/** Files of a commit, as `git archive` gives them; null without git or its history. */
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

const namesAt = (commit: string) =>
  (git('ls-tree', '--name-only', commit, 'supabase/migrations/') ?? '')
    .split('\n')
    .filter(Boolean)
    .map((path) => basename(path))

/** The newest commit before the newest migrations, and why there is none to upgrade from. */
function previousSchema(
  names: readonly string[],
): { commit: string; why: null } | { commit: null; why: string } {
  const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'supabase/migrations')
  if (!added) return { commit: null, why: 'there is no git history' }
  const isPending = names.some((name) => !namesAt('HEAD').includes(name))
  const commit = isPending ? 'HEAD' : `${added}^`
  return namesAt(commit)[0] === names[0]
    ? { commit, why: null }
    : { commit: null, why: 'no migration was added since the first schema' }
}

describe('a database with the demo data of the commit before the newest migrations', () => {
  const names = sqlFiles(MIGRATIONS).map(({ name }) => name)
  const { commit, why } = previousSchema(names)
  if (why) console.warn(`Upgrades are not tested: ${why}.`)

  it.skipIf(why)(
    'has the schema of a new one after the upgrade, and its rows',
    { timeout: 180_000 },
    async () => {
      const root = mkdtempSync(join(tmpdir(), 'konsol-before-'))
      try {
        execFileSync('sh', [
          '-c',
          `git -C "$0" archive "$1" supabase | tar -x -C "$2"`,
          ROOT,
          commit ?? '',
          root,
        ])
        const core = await openCore({
          root,
          pgliteUrl: 'memory://',
          blank: true,
          demo: true,
          keys: generateKeys(),
          siteUrl: 'http://localhost',
          mail: { send: async () => undefined },
          log: () => undefined,
        })
        try {
          const count = () => core.database.query('select count(*)::int as devices from public.devices')
          const before = await count()
          const { applied } = await applyMigrations(core.database, MIGRATIONS, () => undefined)
          expect(applied).toEqual(names.filter((name) => !namesAt(commit ?? '').includes(name)))
          expect(applied).not.toEqual([])
          const found = await schemaLines(core.database.query)
          expect(
            schemaDifference(
              found.filter((line) => !/\bdemo_/.test(line)),
              expected,
            ),
          ).toEqual([])
          expect(await count()).toEqual(before)
        } finally {
          await core.close()
        }
      } finally {
        rmSync(root, { recursive: true, force: true })
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
