import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Definition } from '@/resource/definition/definition.generated'
import { readPolicies } from '../policies/lines'
import { nextFillName, renderMigration } from '../policies/migration'
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
      const text = readFileSync(join(folder, name), 'utf8')
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

/** Compiles policies/ to the migration behind all others. */
export function writeFill(root: string, stroke: Stroke, now: Date): void {
  stroke.write(nextMigration(root, 'fill_policies', now), renderMigration(readPolicies(root)))
}
