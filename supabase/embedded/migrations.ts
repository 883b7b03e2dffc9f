import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import type { Database } from './database/database'
import { isDatabaseError } from './database/errors.mjs'
import { StartError } from './start-error'
import type { ReportProgress } from './start-progress'

export interface SqlFile {
  path: string
  name: string
  sql: string
}

export function sqlFiles(directory: string): SqlFile[] {
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch {
    return []
  }
  return names
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ path: join(directory, name), name, sql: readFileSync(join(directory, name), 'utf8') }))
}

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** PostgreSQL counts characters from 1 over the whole script. */
function placeOf(sql: string, position: string | undefined): string {
  const index = Number(position)
  return Number.isInteger(index) && index > 0 ? `:${sql.slice(0, index).split('\n').length}` : ''
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The database's answer to a migration; nothing of its file is applied. */
export class RefusedMigration extends StartError {}

interface Step {
  file: SqlFile
  /** The statement that writes the file's line in the history. */
  record: string
}

/** Files and their lines in the history, in one transaction: a kill cannot leave one without the other. */
async function run(database: Pick<Database, 'script' | 'owner'>, steps: readonly Step[]): Promise<void> {
  const texts = steps.map(({ file, record }) => `${file.sql}\n;\n${record}\n;\n`)
  try {
    await database.script(texts.join(''), database.owner)
  } catch (error) {
    if (!isDatabaseError(error)) throw error
    const hint = [error.detail, error.hint].filter(Boolean).join(' ')
    throw new RefusedMigration(
      `${placeIn(steps, texts, error.position)} failed: ${error.message} (${error.code})${hint ? ` ${hint}` : ''}`,
    )
  }
}

/** The file and line of a position in all of the texts; every file where there is no position. */
function placeIn(steps: readonly Step[], texts: readonly string[], position: string | undefined): string {
  const paths = steps.map(({ file }) => relative('.', file.path))
  let start = 0
  for (const [index, text] of texts.entries()) {
    const own = Number(position) - start
    if (own > 0 && own <= text.length) return `${paths[index]}${placeOf(text, String(own))}`
    start += text.length
  }
  return paths.join(',')
}

const versionOf = (file: SqlFile): string => basename(file.name, '.sql').split('_')[0] ?? ''

interface Applied {
  version: string
  name: string | null
  /** The digest of the applied text: the texts together are a megabyte, a third of a second of every start. */
  digest: string | null
}

/** The remedy for a database of the development version, whose migrations this version replaced. */
function startOver(database: Database): string {
  return database.kind === 'pglite'
    ? 'Replace it with new demo data (npm run demo:reset), or set DATA_DIR to another directory.'
    : 'Set DATABASE_URL to an empty database.'
}

/** The versions of the migrations that the baseline replaced; none in a tree without the list. */
function replacedVersions(directory: string): string[] {
  const list = join(directory, '../replaced-migrations.txt')
  if (!existsSync(list)) return []
  return readFileSync(list, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((name) => name.split('_')[0] ?? '')
}

/**
 * The migrations that a database has: its own, and all or none of those that the baseline replaced.
 * @param remedy what to do about a database of the development version
 * @throws StartError when it has one that this code does not: an older console would write what the newer one
 * no longer understands.
 */
export async function appliedMigrations(
  database: Database,
  directory: string,
  remedy = startOver(database),
): Promise<Applied[]> {
  const rows = await database.query<Applied & Record<string, unknown>>(
    `select version, name, encode(sha256(convert_to(statements[1], 'UTF8')), 'hex') as digest
     from supabase_migrations.schema_migrations order by version`,
  )
  const replaced = replacedVersions(directory)
  const had = replaced.filter((version) => rows.some((row) => row.version === version))
  if (had.length > 0 && had.length < replaced.length)
    throw new StartError(
      `The database has ${had.length} of the ${replaced.length} migrations of Konsol 0.1. Start the last version 0.1 once, which applies the others, then this one.`,
    )
  const known = [...sqlFiles(directory).map(versionOf), ...had]
  const unknown = rows.find((row) => !known.includes(row.version))
  if (!unknown) return rows
  const [first] = known
  // Every later database has the first migration of this tree.
  if (first !== undefined && rows.every((row) => row.version !== first))
    throw new StartError(
      `The database was made by a development version of Konsol. Its data cannot be carried over. ${remedy}`,
    )
  throw new StartError(
    `The database has the migration ${[unknown.version, unknown.name].filter(Boolean).join('_')}, which this version of Konsol does not have. ` +
      'Start the version that created it, or restore an earlier backup.',
  )
}

/**
 * A database with all migrations of version 0.1 is what the baseline makes: its history names the baseline instead.
 * Nothing of it is run.
 */
async function takeOver(database: Database, directory: string, log: (line: string) => void): Promise<void> {
  const replaced = replacedVersions(directory)
  const [baseline] = sqlFiles(directory)
  const [first] = replaced
  if (first === undefined || !baseline) return
  const found = await database.query(
    'select 1 from supabase_migrations.schema_migrations where version = $1',
    [first],
  )
  if (found.length === 0) return
  await database.script(
    `delete from supabase_migrations.schema_migrations where version in (${replaced.map(literal).join(', ')});
     ${recordOf(baseline)};`,
    database.owner,
  )
  log(
    `The database of Konsol 0.1 was taken over with all its rows: ${versionOf(baseline)} replaces its ${replaced.length} migrations.`,
  )
}

/** The statement that notes a file in the history. */
function recordOf(file: SqlFile): string {
  const [version = '', name = ''] = basename(file.name, '.sql').split(/_(.*)/s)
  return `insert into supabase_migrations.schema_migrations (version, name, statements)
    values (${literal(version)}, ${literal(name)}, array[${literal(file.sql)}])`
}

/**
 * Applies pending migrations, each file in its own transaction, with the history table of the Supabase CLI.
 * @param together all files in one transaction: a command that writes several keeps all of them or none
 * @throws RefusedMigration naming the file and the database's error; nothing of that file stays applied.
 */
export async function applyMigrations(
  database: Database,
  directory: string,
  warn: (line: string) => void,
  { together = false, onProgress }: { together?: boolean; onProgress?: ReportProgress } = {},
): Promise<{ applied: string[]; fresh: boolean }> {
  await appliedMigrations(database, directory)
  await takeOver(database, directory, warn)
  const history = await appliedMigrations(database, directory)
  const known = new Map(history.map((row) => [row.version, row.digest]))
  const pending: Step[] = []
  for (const file of sqlFiles(directory)) {
    const version = versionOf(file)
    if (known.has(version)) {
      const before = known.get(version)
      if (before && before !== digest(file.sql))
        warn(
          `${relative('.', file.path)} was changed after it was applied here; the database keeps what it has.`,
        )
      continue
    }
    pending.push({ file, record: recordOf(file) })
  }
  if (together && pending.length > 0) await run(database, pending)
  else
    for (const [done, step] of pending.entries()) {
      onProgress?.({ step: 'migrations', done, total: pending.length })
      await run(database, [step])
    }
  return { applied: pending.map(({ file }) => file.name), fresh: history.length === 0 }
}

/** Applies the newest migrations to a database that has all before them. */
export async function applyNewest(
  database: Pick<Database, 'script' | 'owner'>,
  directory: string,
  count: number,
): Promise<void> {
  const files = sqlFiles(directory)
  for (const file of files.slice(files.length - count))
    await run(database, [{ file, record: recordOf(file) }])
}

const MARK = '.demo'

/**
 * Loads the demo data once in the life of a database. `ask` records the request first, so that the next start
 * completes one that was killed. A database without the request never gets demo data.
 */
export async function applySeeds(
  database: Database,
  directory: string,
  ask: boolean,
  onProgress?: ReportProgress,
): Promise<void> {
  if (ask)
    await database.query(
      `insert into supabase_migrations.seed_files (path, hash) values ($1, 'wanted') on conflict do nothing`,
      [MARK],
    )
  const rows = await database.query<{ path: string; hash: string }>(
    `select path, hash from supabase_migrations.seed_files`,
  )
  const known = new Map(rows.map((row) => [row.path, row.hash]))
  if (known.get(MARK) !== 'wanted') return
  const files = sqlFiles(directory)
  for (const [done, file] of files.entries()) {
    if (known.has(file.name)) continue
    onProgress?.({ step: 'demo', done, total: files.length })
    const record = `insert into supabase_migrations.seed_files (path, hash) values (${literal(file.name)}, ${literal(digest(file.sql))})`
    await run(database, [{ file, record }])
  }
  await database.query(`update supabase_migrations.seed_files set hash = 'loaded' where path = $1`, [MARK])
  await database.query('analyze')
}
