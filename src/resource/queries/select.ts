import type { Definition, Field } from '@/resource/definition/definition.generated'
import { singularOf, tableOf } from '@/resource/definition/naming'
import { titleFields } from '@/resource/queries/title'

export type FindDefinition = (name: string) => Definition | null

/** Where the embedded row of a relation stands in a fetched row. */
export function embedKey(field: string): string {
  return `${field}_row`
}

/** Where a field's value stands that comes from a table beside this one. */
export function sourceKey(table: string): string {
  return `${table}_from`
}

/** Postgres cuts an identifier at 63 bytes, also the one it makes up for a foreign key. */
function keyName(table: string, ...columns: string[]): string {
  return `${table}_${columns.join('_')}_fkey`.slice(0, 63)
}

/**
 * The foreign key behind a relation. Composite keys are ambiguous to PostgREST without their name; keys
 * between tenants' tables carry the company first, so that no row can point into another company.
 */
export function constraintOf(table: string, column: string, target: Definition | null): string {
  return target?.tenant === false ? keyName(table, column) : keyName(table, 'company_id', column)
}

function columnsOfTarget(target: Definition | null): string {
  const columns = target ? titleFields(target).filter((name) => !isDetached(target.fields[name])) : ['name']
  return ['id', ...columns.filter((column) => column !== 'id')].join(',')
}

function isDetached(field: Field | undefined): boolean {
  return field === undefined || field.type === 'many-to-many' || field.from !== undefined
}

function relationTarget(field: Field): string | null {
  if (field.type === 'relation') return field.to
  return field.type === 'user' ? 'users' : null
}

function embedRelation(
  definition: Definition,
  name: string,
  field: Field,
  find: FindDefinition,
): string | null {
  const targetName = relationTarget(field)
  if (targetName === null) return null
  const target = find(targetName)
  const named = field.type === 'relation' || field.type === 'user' ? field.constraint : undefined
  const constraint = named ?? constraintOf(tableOf(definition), name, target)
  const table = target ? tableOf(target) : targetName
  return `${embedKey(name)}:${table}!${constraint}(${columnsOfTarget(target)})`
}

function embedMany(
  definition: Definition,
  name: string,
  field: Extract<Field, { type: 'many-to-many' }>,
  find: FindDefinition,
  inner: boolean,
): string {
  const target = find(field.to)
  const near = constraintOf(field.through, field.near, definition)
  const far = constraintOf(field.through, field.far, target)
  const table = target ? tableOf(target) : field.to
  return `${embedKey(name)}:${field.through}!${near}${inner ? '!inner' : ''}(row:${table}!${far}(${columnsOfTarget(target)}))`
}

interface Source {
  constraint: string
  columns: Set<string>
}

/** Columns of tables beside this one, one embed a table however many fields read from it. */
function embedSources(definition: Definition, fields: readonly string[]): string[] {
  const sources = new Map<string, Source>()
  for (const name of fields) {
    const from = definition.fields[name]?.from
    if (!from) continue
    const usual = keyName(from.table, 'company_id', `${singularOf(definition)}_id`)
    const source = sources.get(from.table) ?? { constraint: from.constraint ?? usual, columns: new Set() }
    source.columns.add(from.column)
    sources.set(from.table, source)
  }
  return [...sources].map(
    ([table, { constraint, columns }]) =>
      `${sourceKey(table)}:${table}!${constraint}(${[...columns].join(',')})`,
  )
}

/** The embeds of fields that stand in other tables. With `inner`, a row without such a relative is left out. */
export function buildEmbeds(
  definition: Definition,
  fields: readonly string[],
  find: FindDefinition,
  inner: readonly string[] = [],
): string[] {
  const embeds = fields.flatMap((name) => {
    const field = definition.fields[name]
    if (!field || field.from) return []
    if (field.type === 'many-to-many') return [embedMany(definition, name, field, find, inner.includes(name))]
    return embedRelation(definition, name, field, find) ?? []
  })
  return [...embeds, ...embedSources(definition, fields)]
}

/**
 * The `select` that brings what a screen shows and nothing else: own columns, the titles of related
 * records, and columns of tables beside this one. Key, tenant and version always come along.
 */
export function buildSelect(
  definition: Definition,
  fields: readonly string[],
  find: FindDefinition,
  inner: readonly string[] = [],
): string {
  const wanted = [...new Set([...fields, ...titleFields(definition), ...inner])]
  const own = wanted.filter((name) => definition.fields[name] && !isDetached(definition.fields[name]))
  const columns = new Set(['id', ...own])
  if (definition.tenant !== false) columns.add('company_id')
  if (definition.lock !== false) columns.add('version')
  return [...columns, ...buildEmbeds(definition, wanted, find, inner)].join(',')
}
