import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Definition } from '@/resource/language/definition.generated'
import type { Query } from '../../supabase/embedded/database/database'
import { renderTypes } from '../database-types/render'
import { readPolicies } from '../policies/lines'
import { hasLines, LINES_FILE, nextFillName, planFill, renderFill, renderLines } from '../policies/migration'
import { readMigrations } from '../policies/vocabulary'
import { GENERATED_MARK } from './migration/create'
import { readText } from './read-text'
import type { Stroke } from './stroke'

export interface ResourceFile {
  file: string
  text: string
  /** Null when the file is no JSON or has no name. */
  definition: Definition | null
}

function parse(text: string): Definition | null {
  try {
    const value: unknown = JSON.parse(text)
    const isNamed = typeof value === 'object' && value !== null && 'name' in value && 'fields' in value
    return isNamed ? (value as Definition) : null
  } catch {
    return null
  }
}

export function readDefinitions(root: string): ResourceFile[] {
  const folder = join(root, 'resources')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json') && name !== 'resource.schema.json')
    .sort()
    .map((name) => {
      const text = readText(join(folder, name))
      return { file: `resources/${name}`, text, definition: parse(text) }
    })
}

export function definitionsOf(files: readonly ResourceFile[]): Definition[] {
  return files.flatMap(({ definition }) => definition ?? [])
}

const MIGRATIONS = 'supabase/migrations'

/** The path of a migration that comes after every one there is, whatever this machine's clock says. */
export function nextMigration(root: string, name: string, now: Date): string {
  const files = readdirSync(join(root, MIGRATIONS))
  const stamp = nextFillName(files, now).slice(0, 14)
  return `${MIGRATIONS}/${stamp}_${name}.sql`
}

/**
 * Writes a migration, and what it does into `supabase/schemas`.
 * @returns what has to be written there by hand
 */
export async function writeMigration(
  root: string,
  stroke: Stroke,
  migration: { name: string; sql: string; now: Date },
): Promise<string[]> {
  const path = nextMigration(root, migration.name, migration.now)
  stroke.write(path, migration.sql)
  const { follow } = await import('../schema/follow')
  const { files, problems } = await follow(root, [{ path, sql: migration.sql }])
  for (const [file, text] of files) {
    if (text === null) stroke.remove(file)
    else stroke.write(file, text)
  }
  return problems
}

/** Writes the permission lines that changed to the migration behind all others, and all lines to the schemas. */
export function writeFill(root: string, stroke: Stroke, now: Date): void {
  const lines = readPolicies(root)
  const fill = planFill(readMigrations(root), lines)
  if (fill) stroke.write(nextMigration(root, 'fill_policies', now), renderFill(fill))
  if (!hasLines(root, lines)) stroke.write(LINES_FILE, renderLines(lines))
}

/** Whether `resource new` (or `migrate`) made the table, so that its triggers are ours to write again. */
export const isGenerated = (root: string, table: string): boolean => generatedTables(root)(table)

/** Tells of each table what `isGenerated` does, and reads the folder of migrations once. */
export function generatedTables(root: string): (table: string) => boolean {
  const files = readdirSync(join(root, MIGRATIONS)).sort()
  const known = new Map<string, boolean>()
  return (table) => {
    const isKnown = known.get(table) ?? isMadeBy(root, files, table)
    known.set(table, isKnown)
    return isKnown
  }
}

function isMadeBy(root: string, files: readonly string[], table: string): boolean {
  const file = files.findLast((name) => name.endsWith(`_create_${table}.sql`))
  if (file !== undefined) return readFileSync(join(root, MIGRATIONS, file), 'utf8').includes(GENERATED_MARK)
  const before = files
    .map((name) => /_rename_(\w+)_to_(\w+)\.sql$/.exec(name))
    .findLast((found) => found?.[2] === table)
  return before?.[1] !== undefined && isMadeBy(root, files, before[1])
}

const TYPES = 'src/data/database.types.ts'

/** The database's types, after a migration was tried on the scratch database. */
export async function writeTypes(root: string, stroke: Stroke, query: Query): Promise<void> {
  if (existsSync(join(root, TYPES))) stroke.write(TYPES, await renderTypes(query))
}

/** Lines of every file of `policies/` after a change. */
export function changePolicies(
  root: string,
  stroke: Stroke,
  change: (csv: string, file: string) => string,
): void {
  for (const name of readdirSync(join(root, 'policies')).filter((each) => each.endsWith('.csv'))) {
    const path = `policies/${name}`
    const text = readText(join(root, path))
    const next = change(text, name)
    if (next !== text) stroke.write(path, next)
  }
}
