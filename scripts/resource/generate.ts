import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type AnySchemaObject } from 'ajv'
import standaloneImport from 'ajv/dist/standalone/index.js'
import { compile } from 'json-schema-to-typescript'
import { renderReference } from './reference'

type Schema = Record<string, unknown>
type StandaloneCode = (ajv: Ajv, refs: Record<string, string>) => string

// ajv is CommonJS: depending on who loads it, the function is the module or its `default`.
const standaloneCode = ('default' in standaloneImport
  ? standaloneImport.default
  : standaloneImport) as unknown as StandaloneCode

function readJson(path: string): Schema {
  return JSON.parse(readFileSync(path, 'utf8')) as Schema
}

function pascal(kind: string): string {
  return kind.replace(/(^|-)(\w)/g, (_all, _dash, letter: string) => letter.toUpperCase())
}

const FIELDS = 'src/resource/fields'

function kindFolders(root: string): string[] {
  return readdirSync(join(root, FIELDS), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

/**
 * The whole schema: the hand-written base and one branch a field kind, made of what every field takes and
 * of the kind's own `options.json`. A closed branch with a constant `type` is what lets ajv name the one
 * wrong key instead of reporting every branch.
 */
export function composeSchema(root: string): Schema {
  const base = readJson(join(root, 'src/resource/definition/base.schema.json'))
  const { common, ...defs } = base.$defs as Record<string, Schema>
  const branches: Record<string, Schema> = {}
  for (const kind of kindFolders(root)) {
    const options = readJson(join(root, FIELDS, kind, 'options.json'))
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

const HEADER =
  '/* Written by `npm run resource types`; edit resources/resource.schema.json’s sources instead. */\n'

/** json-schema-to-typescript does not know `discriminator`; the plain union says the same. */
async function composeTypes(schema: Schema): Promise<string> {
  return compile(structuredClone(schema) as AnySchemaObject, 'Definition', {
    bannerComment: HEADER,
    additionalProperties: false,
    strictIndexSignatures: false,
    format: true,
    style: { semi: false, singleQuote: true, printWidth: 110 },
    unreachableDefinitions: false,
  })
}

/** Descriptions are for editors; in the browser they would be two thirds of the validator. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key, inner]) => !isAnnotation(key, inner))
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutDescriptions(inner)]))
}

/** `title` and `description` are also names of properties, and then hold a schema, not a text. */
function isAnnotation(key: string, value: unknown): boolean {
  return (key === 'description' || key === 'title') && typeof value === 'string'
}

function fieldTypes(schema: Schema): unknown[] {
  const defs = schema.$defs as Record<string, { properties?: { type?: { const?: unknown } } }>
  return Object.values(defs).flatMap((def) => def.properties?.type?.const ?? [])
}

/** The page's CSP forbids `eval`, so the validator is code before it reaches the browser. */
function composeValidator(schema: Schema): string {
  const ajv = new Ajv({
    allErrors: true,
    // Errors carry the schema of their place, which names the keys it knows.
    verbose: true,
    discriminator: true,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    strictTypes: false,
    // Inlined, the shared shapes would be repeated in every one of the field branches.
    inlineRefs: false,
    code: { source: true, esm: true, optimize: true },
  })
  ajv.addSchema({ ...(withoutDescriptions(schema) as Schema), $id: 'definition' })
  const code = standaloneCode(ajv, { validateDefinition: 'definition' })
  return (
    HEADER +
    `export const FIELD_TYPES = ${JSON.stringify(fieldTypes(schema))};` +
    code.replace(
      /const (\w+) = require\("([^"]+)"\)(?:\.default)?;/g,
      "import $1Module from '$2.js';const $1 = $1Module.default ?? $1Module;",
    )
  )
}

interface Registry {
  /** The file of a kind's folder, without its ending, and what it exports. */
  part: string
  name: string
  /** What the file's export is checked against. */
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
  const base = readJson(join(root, 'src/resource/definition/base.schema.json'))
  const { common } = base.$defs as Record<string, { properties: Record<string, Schema> }>
  return [
    { path: 'docs/resources.md', text: renderReference(schema, common?.properties ?? {}) },
    { path: 'resources/resource.schema.json', text: `${JSON.stringify(schema, null, 2)}\n` },
    { path: 'src/resource/definition/definition.generated.ts', text: await composeTypes(schema) },
    { path: 'src/resource/definition/generated/validator.js', text: composeValidator(schema) },
    { path: `${FIELDS}/kinds.generated.ts`, text: composeRegistry(root, MANIFESTS) },
    { path: `${FIELDS}/sql.generated.ts`, text: composeRegistry(root, SQL) },
  ]
}
