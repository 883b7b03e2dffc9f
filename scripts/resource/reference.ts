import { definitionText } from './definition-text'

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
  'comments',
  'commentKind',
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

/** Describes the values of a key in a few words. */
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
  const values = Array.isArray(schema.enum) ? [`One of ${schema.enum.map(code).join(', ')}.`, ''] : []
  const examples = list(schema.examples)
    .filter(isSchema)
    .flatMap((example) => ['```json', definitionText({ [name]: example }).trimEnd(), '```', ''])
  return [`### ${name}`, '', ...described, ...values, ...table(schema, defs), ...examples]
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

/** Where each rule is held, for tables that `resource new` made or `migrate` changed. */
const HELD: readonly [keys: string, database: string, browser: string][] = [
  [
    '`type`',
    'type of the column; a check where the kind has a form or choices, such as an e-mail address or a color',
    'input, cell, filters',
  ],
  ['`required`', '`not null`; a text not blank, a list not empty', 'form, cells, import'],
  ['`required` with `when`', 'a check, unless `when` depends on the time or the user', 'form'],
  ['`when`', 'nothing: a hidden field keeps its value', 'form and record leave the field out'],
  ['`min`, `max`, `max_length`, `pattern`', 'checks', 'form, cells, import'],
  ['`decimals`', 'the type of the column: the API rounds further digits', 'form, cells, import'],
  ['`check`', 'a check over the row, unless it compares with `$now` or `$user`', 'form, cells, import'],
  [
    '`check` against a related record',
    'a trigger that locks the related record while it compares; a trigger there refuses a change that rows would break',
    'form, cells that show the relation unchanged',
  ],
  ['`unique`', 'a unique index for each company over `app.unique_key`', 'form, while a value is typed'],
  [
    '`no_overlap`',
    'an exclusion constraint for each company over a GiST index of `btree_gist`',
    'form, cells and import say the refusal at `from`',
  ],
  ['`message`', 'nothing', 'shown for the rule, whoever refuses the value'],
  ['`default`', 'the column’s default', 'what a new form starts with'],
  ['`readonly`, `once`', 'no permission to write the column, or to change it', 'shown, not edited'],
  ['`guard.write`', 'a trigger; in a table of your own you write it', 'read-only without the permission'],
  ['`guard.read`', 'the value is in a table of its own', 'left out of screens'],
  ['`guard.show`', 'nothing: the API returns the value', 'left out of screens'],
  ['`needs`', 'nothing: write a trigger', 'the value is not offered'],
  ['`to`', 'a foreign key that cannot leave the company', 'picker'],
  ['`where` of a relation', 'nothing', 'picker'],
  ['`on_delete`', 'the foreign key', 'question before the deletion'],
  ['`tenant`', '`company_id` and row-level security', 'company switcher'],
  ['`lock`', 'column `version`, raised by a trigger', 'an edit of an older version is refused and compared'],
  ['`create`, `edit`, `delete`, `form: false`', 'no permission on the table', 'no button, no page'],
  ['`requires`', 'the deny line in `policies/without-pro.csv`', 'the page says what Pro adds'],
  ['`list.filter`, `default_filter`, views', 'nothing: other rows stay readable', 'list'],
]

const BULK_EDIT = [
  'A bulk edit offers the fields that a form does, without those that describe one record alone: a field that is `unique`',
  'by itself, a text of the `title` (without a `title`, the first text field), and whole documents (`code`, `markdown`,',
  '`rows`, `json`).',
]

const RELATED_CHECK = [
  'A `check` may compare a field with a field of the record that a relation points at:',
  '',
  '```json',
  '"license_id": { "type": "relation", "to": "software_licenses", "required": true },',
  '"seats": { "type": "number", "check": { "_gte": 1, "_lte": "$record.license_id.seats" } }',
  '```',
  '',
  'A trigger compares when the record is written, and a trigger of the related table refuses a change there that records',
  'would break, and says how many. They read past row-level security, within the company; a refusal names fields and a',
  'number of records, never a value. The first locks the related record until the transaction ends, so that two writes at',
  'once cannot break the rule at the isolation level of the API, read committed. An empty value breaks no rule, and an',
  'import or bulk edit reports the refusal of the database. The other field is one that people write: a refusal would stop',
  'the agent or a scheduled step that writes it.',
]

const NO_OVERLAP = [
  'A loan desk lends no item twice at once:',
  '',
  '```json',
  '"fields": {',
  '  "item_id": { "type": "relation", "to": "items", "required": true },',
  '  "lent_on": { "type": "date", "required": true, "default": "$now" },',
  '  "returned_on": { "type": "date", "check": { "_gte": "$record.lent_on" } }',
  '},',
  '"no_overlap": { "by": "item_id", "from": "lent_on", "until": "returned_on" }',
  '```',
  '',
  'A loan without `returned_on` has not ended and overlaps every later one. A `message` of `lent_on` replaces the general text.',
  '`migrate` names the rows that overlap already, and installs the extension.',
]

const OF_A_VIEW = [
  '## Views and extensions',
  '',
  'A view is described by `npm run resource from-table <view>` ([tutorial](tutorial.md), step 5). It is only read, and has no',
  'foreign keys: with `"view": true` the records and people that its rows point at are read by a second request, and lists',
  'do not filter by their fields. It can have no many-to-many fields and no fields `from` another table. The view is changed in',
  'migrations of your own. `npm run resource migrate` without a name applies those to the running console and writes nothing;',
  '`npm run schema -- follow` writes what the newest of them does into `supabase/schemas`. The other commands write both.',
  '',
  'The embedded database has the PostgreSQL extensions `pg_trgm`, `pgcrypto` and `btree_gist`, in the schema `extensions`; a',
  'PostgreSQL of your own has what its packages bring. A migration that needs one writes',
  '`create extension if not exists <name> with schema extensions;`.',
]

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
    'It has at most 3,000 values; files above a million characters, or nested deeper than 50 levels, are not read.',
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
    ...BULK_EDIT,
    '',
    ...kinds.flatMap(([, kind]) => fieldKind(kind, common, defs)),
    '## What holds a rule',
    '',
    'The browser is convenience; the database decides. `resource new` and `resource migrate` write this, and `resource check`',
    'compares it. Permission lines in `policies/` are held by row-level security in any case.',
    '',
    '| key | in the database | in the browser |',
    '|-|-|-|',
    ...HELD.map((row) => `| ${row.join(' | ')} |`),
    '',
    ...RELATED_CHECK,
    '',
    ...NO_OVERLAP,
    '',
    ...OF_A_VIEW,
    '',
    '## Shapes',
    '',
    ...[...known, ...others].flatMap((name) => shape(name, defs[name] ?? {}, defs)),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}
