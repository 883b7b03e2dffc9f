import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Schema = Record<string, unknown>

function readJson(path: string): Schema {
  return JSON.parse(readFileSync(path, 'utf8')) as Schema
}

export function pascal(kind: string): string {
  return kind.replace(/(^|-)(\w)/g, (_all, _dash, letter: string) => letter.toUpperCase())
}

function baseFile(root: string): string {
  return join(root, 'src/resource/definition/base.schema.json')
}

export const FIELDS = 'src/resource/fields'

export function kindFolders(root: string): string[] {
  return readdirSync(join(root, FIELDS), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

function optionsFile(root: string, kind: string): string {
  return join(root, FIELDS, kind, 'options.json')
}

/** The hand-written files that the schema is composed of. */
export function schemaSources(root: string): string[] {
  return [baseFile(root), ...kindFolders(root).map((kind) => optionsFile(root, kind))]
}

/** The options of every field, whatever its kind. */
export function commonProperties(root: string): Record<string, Schema> {
  const { common } = readJson(baseFile(root)).$defs as Record<string, { properties?: Record<string, Schema> }>
  return common?.properties ?? {}
}

/**
 * The whole schema: the hand-written base and one branch a field kind, made of what every field takes and
 * of the kind's own `options.json`. A closed branch with a constant `type` is what lets ajv name the one
 * wrong key instead of reporting every branch.
 */
export function composeSchema(root: string): Schema {
  const base = readJson(baseFile(root))
  const { common, ...defs } = base.$defs as Record<string, Schema>
  const branches: Record<string, Schema> = {}
  for (const kind of kindFolders(root)) {
    const options = readJson(optionsFile(root, kind))
    branches[`${pascal(kind)}Field`] = {
      title: `${pascal(kind)}Field`,
      description: options.description,
      type: 'object',
      required: ['type', ...((options.required as string[] | undefined) ?? [])],
      additionalProperties: false,
      properties: {
        type: { const: kind },
        ...(common?.properties as Schema),
        ...(options.properties as Schema),
      },
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
