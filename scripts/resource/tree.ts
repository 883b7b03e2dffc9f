import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Definition } from '@/resource/definition/definition.generated'
import { readPolicies } from '../policies/lines'
import { nextFillName, planFill, renderFill } from '../policies/migration'
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

/** Writes the permission lines that changed to the migration behind all others. */
export function writeFill(root: string, stroke: Stroke, now: Date): void {
  const fill = planFill(readMigrations(root), readPolicies(root))
  if (fill) stroke.write(nextMigration(root, 'fill_policies', now), renderFill(fill))
}

/** Whether `resource new` (or `migrate`) made the table, so that its triggers are ours to write again. */
export function isGenerated(root: string, table: string): boolean {
  const folder = join(root, MIGRATIONS)
  const file = readdirSync(folder).find((name) => name.endsWith(`_create_${table}.sql`))
  return file !== undefined && readFileSync(join(folder, file), 'utf8').includes(GENERATED_MARK)
}
