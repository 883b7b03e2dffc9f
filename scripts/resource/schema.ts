import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FieldOptions, FieldScript } from '@/resource/fields/script-interface'

export type Schema = Record<string, unknown>

function readJson(path: string): Schema {
  return JSON.parse(readFileSync(path, 'utf8')) as Schema
}

export function pascal(kind: string): string {
  return kind.replace(/(^|-)(\w)/g, (_all, _dash, letter: string) => letter.toUpperCase())
}

function baseFile(root: string): string {
  return join(root, 'src/resource/language/base.schema.json')
}

/** The composed schema, as `npm run resource types` writes it; editors and the validator read it. */
export function schemaFile(root: string): string {
  return join(root, 'resources/resource.schema.json')
}

export function readSchema(root: string): Schema {
  return readJson(schemaFile(root))
}

export const FIELDS = 'src/resource/fields'

/** A field kind, as the `script.ts` of its folder describes it. */
export interface KindOptions {
  type: string
  folder: string
  /** The folder holds several kinds: it exports them by type. */
  isFamily: boolean
  options: FieldOptions
}

interface ScriptModule {
  script?: FieldScript
  scripts?: Record<string, FieldScript>
}

/** The kinds of all folders in alphabetical order. Their files are loaded by name: the registry may be stale. */
export async function readKinds(root: string, under = FIELDS): Promise<KindOptions[]> {
  const folders = readdirSync(join(root, under), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  // The packed command has no loader for TypeScript.
  const { register } = await import('tsx/esm/api')
  const unregister = register()
  const found = await Promise.all(
    folders.map(async ({ name: folder }) => {
      const file = pathToFileURL(join(root, under, folder, 'script.ts')).href
      const { script, scripts } = (await import(/* @vite-ignore */ file)) as ScriptModule
      const kinds = scripts ?? (script ? { [folder]: script } : {})
      const isFamily = scripts !== undefined
      return Object.entries(kinds).map(([type, { options }]) => ({ type, folder, isFamily, options }))
    }),
  ).finally(unregister)
  return found.flat().sort((a, b) => (a.type < b.type ? -1 : 1))
}

/** The options of every field, whatever its kind. */
export function commonProperties(root: string): Record<string, Schema> {
  const { common } = readJson(baseFile(root)).$defs as Record<string, { properties?: Record<string, Schema> }>
  return common?.properties ?? {}
}

/**
 * The whole schema: the hand-written base and one branch a field kind, made of what every field takes and
 * of the kind's own options. A closed branch with a constant `type` is what lets ajv name the one
 * wrong key instead of reporting every branch.
 */
export function composeSchema(root: string, kinds: readonly Pick<KindOptions, 'type' | 'options'>[]): Schema {
  const base = readJson(baseFile(root))
  const { common, ...defs } = base.$defs as Record<string, Schema>
  const branches: Record<string, Schema> = {}
  for (const { type, options } of kinds) {
    branches[`${pascal(type)}Field`] = {
      title: `${pascal(type)}Field`,
      description: options.description,
      type: 'object',
      required: ['type', ...(options.required ?? [])],
      additionalProperties: false,
      properties: { type: { const: type }, ...(common?.properties as Schema), ...options.properties },
    }
  }
  return {
    ...base,
    $defs: {
      ...defs,
      field: {
        title: 'Field',
        type: 'object',
        description: 'One field; its `type` decides which further keys it takes.',
        discriminator: { propertyName: 'type' },
        required: ['type'],
        oneOf: Object.keys(branches).map((name) => ({ $ref: `#/$defs/${name}` })),
      },
      ...branches,
    },
  }
}
