import type { AnySchemaObject } from 'ajv'
import { compile } from 'json-schema-to-typescript'
import { renderReference } from './reference'
import { commonProperties, composeSchema, FIELDS, kindFolders, pascal, type Schema } from './schema'

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
  /** The file of a kind's folder, without its ending, and what it exports. */
  part: string
  name: string
  /** The type that the file's export is checked against. */
  type: string
  from: string
  constant: string
}

const MANIFESTS: Registry = {
  part: 'manifest',
  name: 'kind',
  type: 'FieldKind',
  from: 'kind',
  constant: 'KINDS',
}
const SQL: Registry = { part: 'sql', name: 'sql', type: 'FieldSql', from: 'field-sql', constant: 'FIELD_SQL' }

const camel = (kind: string) => `${pascal(kind).replace(/^./, (letter) => letter.toLowerCase())}Kind`

/** Static imports instead of a glob: scripts, which Vite does not compile, load the same file. */
function composeRegistry(root: string, { part, name, type, from, constant }: Registry): string {
  const kinds = kindFolders(root).map((kind) => ({ kind, key: /-/.test(kind) ? `'${kind}'` : kind }))
  const imports = kinds.map(
    ({ kind }) => `import { ${name} as ${camel(kind)} } from '@/resource/fields/${kind}/${part}'`,
  )
  return [
    HEADER.trimEnd(),
    `import type { ${type} } from '@/resource/fields/${from}'`,
    `import type { FieldType } from '@/resource/fields/kind'`,
    ...imports,
    '',
    `export const ${constant} = {`,
    ...kinds.map(({ kind, key }) => `  ${key}: ${camel(kind)},`),
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
  const schema = composeSchema(root)
  const common = commonProperties(root)
  return [
    { path: 'docs/resources.md', text: renderReference(schema, common) },
    { path: 'resources/resource.schema.json', text: `${JSON.stringify(schema, null, 2)}\n` },
    {
      path: 'src/resource/definition/definition.generated.ts',
      text: await composeTypes(withSharedOptions(schema, common)),
    },
    { path: `${FIELDS}/kinds.generated.ts`, text: composeRegistry(root, MANIFESTS) },
    { path: `${FIELDS}/sql.generated.ts`, text: composeRegistry(root, SQL) },
  ]
}
