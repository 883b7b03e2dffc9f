import { HIDDEN } from '@/data/request'
import { SEPARATE } from '@/data/separate-reads'
import { findKind } from '@/resource/fields/kinds'
import {
  isDotted,
  pointsAtOwnTable,
  relatedField,
  sharesTarget,
  targetOf,
} from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { embedKey, hiddenTable, matchKey, sourceKey } from '@/resource/language/embed-keys'
import type { FindDefinition } from '@/resource/language/entry'
import { tableOf } from '@/resource/language/naming'
import { filterFields, ruleFields } from '@/resource/request/filter/mentioned-fields'
import { titleFields } from '@/resource/request/query/title'

/**
 * Names the foreign key behind an embed, as `table!constraint`. A key between tenants' tables is composite
 * (company first, so that no row can point into another company): such a target goes by its table name
 * alone, the one form that both hosted PostgREST and the embedded backend read. A plain key must be named,
 * or every table that also has a company would make it ambiguous. So must several keys to one table (`sharesTarget`).
 */
function hintOf(
  table: string,
  column: string,
  target: Definition | null,
  { named, isShared = false }: { named?: string; isShared?: boolean } = {},
): string {
  if (named) return `!${named}`
  return target?.tenant === false || isShared ? `!${table}_${column}_fkey`.slice(0, 64) : ''
}

/** How deep titles that name records by their titles are read. The API refuses embeds below. */
const MAX_TITLE_DEPTH = 3

interface TitleSelect {
  find: FindDefinition
  further?: readonly string[]
  depth?: number
  isSeparate?: boolean
}

/** The columns that make up the title of a related record. A relation among them is replaced by its record's title. */
function columnsOfTarget(
  target: Definition | null,
  { find, further = [], depth = 1, isSeparate = false }: TitleSelect,
): string {
  const titles = target ? titleFields(target).filter((name) => !isDetached(target.fields[name])) : ['name']
  const embeds = titles.flatMap((name) => {
    const field = target?.fields[name]
    if (!target || !field || depth >= MAX_TITLE_DEPTH || pointsAtOwnTable(target, name, find)) return []
    return embedRelation(target, name, field, { find, depth: depth + 1, isSeparate }) ?? []
  })
  return [...new Set(['id', ...titles, ...further, ...embeds])].join(',')
}

function isDetached(field: Field | undefined): boolean {
  return (
    field === undefined ||
    findKind(field.type)?.detached === true ||
    field.from !== undefined ||
    field.guard?.read !== undefined
  )
}

/** Whether no foreign key leads to the record: a view has none of its own. */
function isReadSeparately(definition: Definition, field: Field): boolean {
  return definition.view === true && !('constraint' in field && field.constraint !== undefined)
}

/** The table of the record a relation points at, with the hint that leads there. */
function relationTable(definition: Definition, name: string, field: Field, find: FindDefinition) {
  const targetName = targetOf(field)
  if (targetName === null) return null
  const target = find(targetName)
  const named = 'constraint' in field ? field.constraint : undefined
  const table = target ? tableOf(target) : targetName
  const isShared = sharesTarget(definition, name, find)
  return { target, table, embed: `${table}${hintOf(tableOf(definition), name, target, { named, isShared })}` }
}

function embedRelation(
  definition: Definition,
  name: string,
  field: Field,
  options: TitleSelect,
): string | null {
  const relation = relationTable(definition, name, field, options.find)
  if (!relation) return null
  const isSeparate = options.isSeparate === true || isReadSeparately(definition, field)
  const further = [...(options.further ?? []), ...(findKind(field.type)?.reads ?? [])]
  const columns = columnsOfTarget(relation.target, { ...options, further, isSeparate })
  const embed = isSeparate ? `${relation.table}${SEPARATE}${name}` : relation.embed
  return `${embedKey(name)}:${embed}(${columns})`
}

type ManyField = Extract<Field, { type: 'many-to-many' }>

function embedMany(name: string, field: ManyField, find: FindDefinition): string {
  // No key leads to the view `users`, and not everybody may read it: the names are in the view `people`.
  if (field.to === 'users')
    return `${embedKey(name)}:${field.through}(${field.far},row:people!${field.through}_${field.far}_fkey(id,name))`
  const target = find(field.to)
  const hint = hintOf(field.through, field.far, target)
  const table = target ? tableOf(target) : field.to
  return `${embedKey(name)}:${field.through}(row:${table}${hint}(${columnsOfTarget(target, { find, depth: 2 })}))`
}

function hintTo(constraint: string | undefined): string {
  return constraint ? `!${constraint}` : ''
}

/** Columns of tables beside this one, one embed a table however many fields read from it. */
function embedSources(definition: Definition, fields: readonly string[]): string[] {
  const sources = new Map<string, { hint: string; columns: Set<string> }>()
  for (const name of fields) {
    const from = definition.fields[name]?.from
    if (!from) continue
    const source = sources.get(from.table) ?? { hint: hintTo(from.constraint), columns: new Set() }
    source.columns.add(from.column)
    sources.set(from.table, source)
  }
  return [...sources].map(
    ([table, { hint, columns }]) => `${sourceKey(table)}:${table}${hint}(${[...columns].join(',')})`,
  )
}

/** The values of hidden fields, from the tables that the database keeps them in. */
function embedHidden(definition: Definition, fields: readonly string[]): string[] {
  return fields.flatMap((name) => {
    const field = definition.fields[name]
    return field?.guard?.read && !field.from
      ? [`${name}${HIDDEN}:${hiddenTable(tableOf(definition), name)}(${name})`]
      : []
  })
}

/** Empty embeds that only leave out rows without a matching one elsewhere; of a dotted name, the relation's. */
export function matchEmbeds(
  definition: Definition,
  paths: readonly string[],
  find: FindDefinition,
): string[] {
  return paths.flatMap((path) => {
    const name = path.split('.')[0] ?? path
    const field = definition.fields[name]
    if (field?.type === 'many-to-many') return [`${matchKey(name)}:${field.through}!inner()`]
    if (field?.from) return [`${matchKey(name)}:${field.from.table}${hintTo(field.from.constraint)}!inner()`]
    const relation = field && isDotted(path) ? relationTable(definition, name, field, find) : null
    return relation ? [`${matchKey(name)}:${relation.embed}!inner()`] : []
  })
}

/** The embeds of fields of other tables. */
function buildEmbeds(
  definition: Definition,
  fields: readonly string[],
  find: FindDefinition,
  further: ReadonlyMap<string, string[]>,
): string[] {
  const embeds = fields.flatMap((name) => {
    const field = definition.fields[name]
    if (!field || field.from) return []
    if (field.type === 'many-to-many') return [embedMany(name, field, find)]
    if (pointsAtOwnTable(definition, name, find)) return []
    const color = field.type === 'relation' && field.color ? [field.color] : []
    const columns = [...(further.get(name) ?? []), ...color]
    return embedRelation(definition, name, field, { find, further: columns }) ?? []
  })
  return [...embeds, ...embedSources(definition, fields), ...embedHidden(definition, fields)]
}

/** The columns wanted of each related record, from dotted names. */
function furtherColumns(
  definition: Definition,
  fields: readonly string[],
  find: FindDefinition,
): Map<string, string[]> {
  const further = new Map<string, string[]>()
  for (const path of fields.filter(isDotted)) {
    const related = relatedField(definition, path, find)
    if (related) further.set(related.relation, [...(further.get(related.relation) ?? []), related.name])
  }
  return further
}

const OF_RECORD = '$record.'

/** The fields that a value cannot be shown without: the currency of an amount, the record a text links to. */
function companions(field: Field | undefined): string[] {
  if (!field) return []
  const { companions, follows = [] } = findKind(field.type) ?? {}
  const followed = follows.flatMap((option) => {
    const value: unknown = Reflect.get(field, option)
    return typeof value === 'string' && value.startsWith(OF_RECORD) ? [value.slice(OF_RECORD.length)] : []
  })
  const colored = 'color_when' in field ? filterFields(field.color_when) : []
  const paused = 'paused_when' in field ? filterFields(field.paused_when) : []
  return [...(companions?.(field) ?? []), ...followed, ...colored, ...paused]
}

/** The other countdowns that a value may be shown as, each with what it is shown by. */
function earlierFields(field: Field | undefined): readonly string[] {
  return field && 'or_earlier' in field ? (field.or_earlier ?? []) : []
}

interface SelectOptions {
  /** Filters over other tables: fields, or dotted names. */
  narrowedBy?: readonly string[]
  /** Columns that no field names, such as those that hold an order. */
  columns?: readonly string[]
}

/** How many records point at each record by one of their fields: an embed of the record that they point at. */
export function countEmbed(alias: string, holder: Definition, name: string, find: FindDefinition): string {
  const field = holder.fields[name]
  const target = field ? targetOf(field) : null
  const named = field && 'constraint' in field ? field.constraint : undefined
  const hint = hintOf(tableOf(holder), name, target === null ? null : find(target), {
    ...(named ? { named } : {}),
    isShared: sharesTarget(holder, name, find),
  })
  return `${alias}:${tableOf(holder)}${hint}(count)`
}

/**
 * The `select` that brings what a screen shows and nothing else: own columns, the titles of related
 * records, and columns of tables beside this one. Key, tenant and version always come along.
 */
export function buildSelect(
  definition: Definition,
  fields: readonly string[],
  find: FindDefinition,
  { narrowedBy = [], columns: given = [] }: SelectOptions = {},
): string {
  const further = furtherColumns(definition, fields, find)
  const own = [
    ...fields.filter((name) => !isDotted(name)),
    ...further.keys(),
    ...titleFields(definition),
    // Buttons on the record ask whether a row rule of the role covers it.
    ...ruleFields(definition).filter((name) => definition.fields[name]?.type !== 'many-to-many'),
  ]
  const others = own.flatMap((name) => earlierFields(definition.fields[name]))
  const shown = [...own, ...others]
  const wanted = [...new Set([...shown, ...shown.flatMap((name) => companions(definition.fields[name]))])]
  const columns = new Set(['id', ...wanted.filter((name) => !isDetached(definition.fields[name])), ...given])
  if (definition.tenant !== false) columns.add('company_id')
  if (definition.lock !== false) columns.add('version')
  return [
    ...columns,
    ...buildEmbeds(definition, wanted, find, further),
    ...matchEmbeds(definition, narrowedBy, find),
  ].join(',')
}
