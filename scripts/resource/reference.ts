type Schema = Record<string, unknown>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const schemasOf = (value: unknown): Record<string, Schema> =>
  isSchema(value) ? (value as Record<string, Schema>) : {}
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

/** Shapes with a heading of their own, in the order in which they are met. */
const SHAPES = [
  'list',
  'column',
  'view',
  'show',
  'tab',
  'related',
  'form',
  'step',
  'sections',
  'action',
  'filter',
  'condition',
  'policy',
  'guard',
  'source',
  'component',
  'words',
  'nouns',
]

function linked(reference: string): string {
  const name = reference.split('/').at(-1) ?? ''
  if (name === 'scalar') return 'text, number, boolean or null'
  if (name === 'field') return '[a field](#fields)'
  return `[${name}](#${name})`
}

/** What a key takes, in a few words. */
function typeOf(schema: Schema): string {
  if (typeof schema.$ref === 'string') return linked(schema.$ref)
  if ('const' in schema) return code(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map(code).join(', ')
  const branches = [...list(schema.oneOf), ...list(schema.anyOf)].filter(isSchema)
  if (branches.length > 0) return branches.map(typeOf).join(' or ')
  if (schema.type === 'array') return isSchema(schema.items) ? `list of ${typeOf(schema.items)}` : 'list'
  if (schema.type === 'object' && isSchema(schema.additionalProperties))
    return `object: name → ${typeOf(schema.additionalProperties)}`
  if (schema.type === 'string') return 'text'
  return Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type ?? 'anything')
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function limits(schema: Schema): string {
  const said = [
    'default' in schema ? `Default ${code(schema.default)}.` : '',
    'minimum' in schema ? `At least ${String(schema.minimum)}.` : '',
    'maximum' in schema ? `At most ${String(schema.maximum)}.` : '',
    typeof schema.pattern === 'string' ? `Matches ${code(schema.pattern)}.` : '',
  ]
  return said.filter(Boolean).join(' ')
}

function rows(
  properties: Record<string, Schema>,
  required: readonly unknown[],
  defs: Record<string, Schema>,
): string[] {
  return Object.entries(properties).map(([name, schema]) => {
    const target = typeof schema.$ref === 'string' ? defs[schema.$ref.split('/').at(-1) ?? ''] : undefined
    const text = [schema.description ?? target?.description ?? '', limits(schema)].filter(Boolean).join(' ')
    return `| ${code(name)}${required.includes(name) ? ' (required)' : ''} | ${cell(typeOf(schema))} | ${cell(text)} |`
  })
}

function table(schema: Schema, defs: Record<string, Schema>): string[] {
  const properties = schemasOf(schema.properties)
  if (Object.keys(properties).length === 0) return []
  return ['| key | takes | |', '|-|-|-|', ...rows(properties, list(schema.required), defs), '']
}

function shape(name: string, schema: Schema, defs: Record<string, Schema>): string[] {
  const described = typeof schema.description === 'string' ? [schema.description, ''] : []
  return [`### ${name}`, '', ...described, ...table(schema, defs)]
}

function fieldKind(schema: Schema, common: Record<string, Schema>, defs: Record<string, Schema>): string[] {
  const { type, ...properties } = schemasOf(schema.properties)
  const own = Object.fromEntries(Object.entries(properties).filter(([name]) => !(name in common)))
  const kind = String(type?.const ?? '')
  return [
    `### ${kind}`,
    '',
    String(schema.description ?? ''),
    '',
    ...table({ properties: own, required: schema.required }, defs),
  ]
}

/**
 * The reference of the definition language, from the schema that editors and the linter read, so that it cannot say
 * anything else. `common` are the keys that every field takes.
 */
export function renderReference(schema: Schema, common: Record<string, Schema>): string {
  const defs = schemasOf(schema.$defs)
  const kinds = Object.entries(defs).filter(([name]) => name.endsWith('Field'))
  const known = SHAPES.filter((name) => name in defs)
  const others = Object.keys(defs).filter(
    (name) =>
      !known.includes(name) && !name.endsWith('Field') && !['field', 'scalar', 'common'].includes(name),
  )
  return [
    '<!-- Written by `npm run resource types` from the definition’s schema; edit that instead. -->',
    '# Resource definitions',
    '',
    'One file `resources/<name>.json` a resource. `name` and `fields` alone give a list, a record, forms, filters, search',
    'and permissions; everything else is said where it differs. A definition is data: no code, no expressions, no SQL.',
    'Editors complete and explain it through `"$schema": "./resource.schema.json"`.',
    '',
    'To add one, follow the [tutorial](tutorial.md): ten minutes.',
    '',
    '## Definition',
    '',
    ...table(schema, defs),
    '## Fields',
    '',
    'Each field has a `type`, which decides what further keys it takes. These are common to all:',
    '',
    ...table({ properties: common }, defs),
    ...kinds.flatMap(([, kind]) => fieldKind(kind, common, defs)),
    '## Shapes',
    '',
    ...[...known, ...others].flatMap((name) => shape(name, defs[name] ?? {}, defs)),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}
