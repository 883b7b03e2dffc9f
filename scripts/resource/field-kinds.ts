import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Field } from '@/resource/definition/definition.generated'
import type { ManifestModule } from '@/resource/fields/kind'

export type AllowedTypes = (kind: Field['type']) => readonly string[]

/** The Postgres types of each field kind, as its manifest in `src/resource/fields` says. */
export async function readAllowedTypes(root: string): Promise<AllowedTypes> {
  const folder = join(root, 'src/resource/fields')
  const kinds = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const types = new Map<string, readonly string[]>()
  for (const { name } of kinds) {
    const { kind } = (await import(pathToFileURL(join(folder, name, 'manifest.ts')).href)) as ManifestModule
    types.set(kind.type, kind.columns)
  }
  return (kind) => types.get(kind) ?? []
}
