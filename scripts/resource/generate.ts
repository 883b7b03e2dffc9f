import type { AnySchemaObject } from 'ajv'
import { compile } from 'json-schema-to-typescript'
import { renderReference } from './reference'
import {
  commonProperties,
  composeSchema,
  FIELDS,
  type KindOptions,
  pascal,
  readKinds,
  type Schema,
} from './schema'

const HEADER =
  '/* Written by `npm run resource types`; edit resources/resource.schema.json’s sources instead. */\n'

/** A `$ref` beside other keys makes json-schema-to-typescript repeat the shape; inside `allOf` it keeps the name. */
function withPlainReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlainReferences)
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withPlainReferences(inner)]),
  )
  if ($ref === undefined) return rest
  return Object.keys(rest).length === 0 ? { $ref } : { ...rest, allOf: [{ $ref }] }
}

/** Each field type extends one interface of the options that all fields share. */
function withSharedOptions(schema: Schema, common: Record<string, Schema>): Schema {
  const defs = Object.entries(schema.$defs as Record<string, Schema>).map(([name, def]) => {
    if (!name.endsWith('Field')) return [name, def]
    const own = Object.entries(def.properties as Schema).filter(([key]) => !(key in common))
    return [
      name,
      { ...def, properties: Object.fromEntries(own), extends: [{ $ref: '#/$defs/commonOptions' }] },
    ]
  })
  const commonOptions = {
    title: 'CommonOptions',
    type: 'object',
    additionalProperties: false,
    properties: common,
  }
  return { ...schema, $defs: { ...Object.fromEntries(defs), commonOptions } }
}

async function composeTypes(schema: Schema): Promise<string> {
  return compile(withPlainReferences(schema) as AnySchemaObject, 'Definition', {
    bannerComment: HEADER,
    additionalProperties: false,
    strictIndexSignatures: false,
    format: true,
    style: { semi: false, singleQuote: true, printWidth: 110 },
    unreachableDefinitions: false,
  })
}

interface Registry {
  /** The file of a kind's folder, without its ending; what it exports is named like it. */
  part: 'kind' | 'script'
  /** The type that the file's export is checked against. */
  type: string
}

const camel = (kind: string) => pascal(kind).replace(/^./, (letter) => letter.toLowerCase())
const keyed = (type: string) =>
  /-/.test(type) ? { key: `'${type}'`, of: `['${type}']` } : { key: type, of: `.${type}` }

/** Static imports instead of a glob: scripts, which Vite does not compile, load the same file. */
function composeRegistry(kinds: readonly KindOptions[], { part, type }: Registry): string {
  const names = new Map(kinds.map(({ folder, isFamily }) => [folder, isFamily ? `${part}s` : part] as const))
  const local = (folder: string) => `${camel(folder)}${pascal(names.get(folder) ?? '')}`
  const imports = [...names]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([folder, name]) => `import { ${name} as ${local(folder)} } from '@/resource/fields/${folder}/${part}'`,
    )
  return [
    HEADER.trimEnd(),
    ...(part === 'kind'
      ? [`import type { ${type}, FieldType } from '@/resource/fields/kind-interface'`]
      : [
          `import type { FieldType } from '@/resource/fields/kind-interface'`,
          `import type { ${type} } from '@/resource/fields/script-interface'`,
        ]),
    ...imports,
    '',
    `export const ${part.toUpperCase()}S = {`,
    ...kinds.map(({ type: kind, folder, isFamily }) => {
      const { key, of } = keyed(kind)
      return `  ${key}: ${local(folder)}${isFamily ? of : ''},`
    }),
    `} satisfies { [Type in FieldType]: ${type}<Type> }`,
    '',
  ].join('\n')
}

export interface GeneratedFile {
  path: string
  text: string
}

/** Everything the definition language generates; a contract test compares it with what is on disk. */
export async function generatedFiles(root: string): Promise<GeneratedFile[]> {
  const kinds = await readKinds(root)
  const schema = composeSchema(root, kinds)
  const common = commonProperties(root)
  return [
    { path: 'docs/resources.md', text: renderReference(schema, common) },
    { path: 'resources/resource.schema.json', text: `${JSON.stringify(schema, null, 2)}\n` },
    {
      path: 'src/resource/language/definition.generated.ts',
      text: await composeTypes(withSharedOptions(schema, common)),
    },
    {
      path: `${FIELDS}/kinds.generated.ts`,
      text: composeRegistry(kinds, { part: 'kind', type: 'FieldKind' }),
    },
    {
      path: `${FIELDS}/scripts.generated.ts`,
      text: composeRegistry(kinds, { part: 'script', type: 'FieldScript' }),
    },
  ]
}
