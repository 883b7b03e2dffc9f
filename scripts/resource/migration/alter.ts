import type { Definition, Field } from '@/resource/definition/definition.generated'
import type { CatalogueColumn, CatalogueTable } from '../../../supabase/embedded/catalogue'
import type { ColumnPlan } from './columns'
import { bare, differingRules, hasIndex } from './compare'
import {
  checkClause,
  columnSql,
  derivedSql,
  foreignKeySql,
  indexSql,
  isComposite,
  searchIndexName,
} from './create'
import { plain } from './expressions'
import { renderGuards, renderPeople } from './guards'
import { renderJoin } from './joins'
import { GIVEN, type TablePlan } from './plan'
import { rulesFromChecks } from './rules'
import { named, wrap } from './sql'

export interface Changes {
  statements: string[]
  /** What would be lost; done only when asked for. */
  drops: { what: string; sql: string }[]
}

export interface Compared {
  definition: Definition
  plan: TablePlan
  table: CatalogueTable
  tables: readonly string[]
  /** Bodies of the trigger functions that `guards.ts` writes, by name. */
  sources: Readonly<Record<string, string>>
  /** Postgres types a kind may stand in. */
  allowed: (kind: Field['type']) => readonly string[]
}

function checkChanges({ plan, table }: Compared, column: ColumnPlan, field: Field): string[] {
  if (field.readonly || differingRules(column.name, field, table).length === 0) return []
  const stale = table.checks.filter(
    ({ columns, definition }) =>
      columns.length === 1 &&
      columns[0] === column.name &&
      Object.keys(rulesFromChecks(column.name, [definition])).length > 0,
  )
  const on = `alter table public.${plan.table}`
  return [
    ...stale.map(({ name }) => `${on} drop constraint ${name};`),
    ...(column.checks.length > 0
      ? [`${on} add constraint ${named(plan.table, column.name, 'check')}${checkClause(column)};`]
      : []),
  ]
}

function columnChanges(
  compared: Compared,
  column: ColumnPlan,
  found: CatalogueColumn,
  field: Field,
): string[] {
  const { plan, allowed } = compared
  const on = `alter table public.${plan.table} alter column ${column.name}`
  const changes: string[] = []
  if (!allowed(field.type).includes(found.type))
    changes.push(`${on} type ${column.type} using ${column.name}::${column.type};`)
  if (column.defaultTo !== null && plain(found.expression ?? '') !== plain(column.defaultTo))
    changes.push(`${on} set default ${column.defaultTo};`)
  if (column.notNull && !found.isRequired && !field.readonly) {
    if (column.defaultTo !== null)
      changes.push(
        `update public.${plan.table} set ${column.name} = ${column.defaultTo} where ${column.name} is null;`,
      )
    changes.push(`${on} set not null;`)
  }
  // With a default, "never empty" is the table's own business.
  if (!column.notNull && found.isRequired && found.expression === null && !field.readonly)
    changes.push(`${on} drop not null;`)
  return [...changes, ...checkChanges(compared, column, field)]
}

function derivedChanges({ plan, table }: Compared, gone: readonly string[]): string[] {
  const on = `alter table public.${plan.table}`
  return plan.derived.flatMap((derived) => {
    const found = table.columns.find(({ name }) => name === derived.name)
    const isSearch = derived.name === 'search'
    const keep = isSearch ? [`select app.keep_search('public.${plan.table}');`] : []
    if (!found) return [`${on} add column ${derivedSql(derived)};`, ...keep]
    const words = (text: string) => new Set(text.match(/\w+/g) ?? [])
    const has = words(found.expression ?? '')
    const covers = isSearch
      ? [...words(derived.expression)].every(
          (word) => has.has(word.toLowerCase()) || word === 'coalesce' || word === 'text',
        )
      : plain(found.expression ?? '') === plain(derived.expression)
    if (!found.isGenerated || (covers && !gone.some((name) => has.has(name)))) return []
    // Before PostgreSQL 17 the expression of a generated column cannot be changed in place.
    const again = [`${on} drop column ${derived.name};`, `${on} add column ${derivedSql(derived)};`]
    if (isSearch)
      again.push(
        `create index ${searchIndexName(plan.table)} on public.${plan.table} using gin (search extensions.gin_trgm_ops);`,
      )
    const lost = table.indexes.filter(
      ({ columns }) => !isSearch && columns.some((column) => bare(column) === derived.name),
    )
    return [...again, ...lost.map((index) => indexSql(plan.table, index))]
  })
}

function constraintChanges({ plan, table }: Compared): string[] {
  const on = `alter table public.${plan.table}`
  const present = new Set(table.checks.map(({ definition }) => plain(definition)))
  const ours = new RegExp(`^${plan.table}_\\w+_check[12]$`)
  const stale = table.checks.filter(
    ({ name, definition }) =>
      plan.constraints.some((each) => each.name === name && plain(each.expression) !== plain(definition)) ||
      (ours.test(name) &&
        !plan.constraints.some((each) => each.name === name || plain(each.expression) === plain(definition))),
  )
  const missing = plan.constraints.filter(({ expression }) => !present.has(plain(expression)))
  return [
    ...stale.map(({ name }) => `${on} drop constraint ${name};`),
    ...missing.map(({ name, expression }) => `${on} add constraint ${name} check (${expression});`),
  ]
}

function referenceChanges({ plan, table }: Compared): string[] {
  const on = `alter table public.${plan.table}`
  return plan.references.flatMap((reference) => {
    const isNew = !table.columns.some(({ name }) => name === reference.column)
    const composite = isComposite(plan, reference)
    // A plain key came with its new column.
    if (isNew && !composite) return []
    const keys = table.keys.filter(({ columns }) => columns.includes(reference.column))
    if (
      keys.some(({ target, columns }) => target === reference.table && columns.length === (composite ? 2 : 1))
    )
      return []
    const added = composite
      ? foreignKeySql(reference)
      : `foreign key (${reference.column}) references public.${reference.table} (id)${reference.onDelete === 'set null' ? ' on delete set null' : ''}`
    return [...keys.map(({ name }) => `${on} drop constraint ${name};`), `${on} add ${added};`]
  })
}

function grantChanges({ plan, table }: Compared): string[] {
  const may = (list: readonly string[], key: 'canInsert' | 'canUpdate') =>
    list.filter((name) => !table.columns.some((column) => column.name === name && column[key]))
  const [inserted, updated] = [may(plan.insertable, 'canInsert'), may(plan.updatable, 'canUpdate')]
  const parts = [
    ...(inserted.length > 0 ? [`insert (${wrap(inserted, '  ')})`] : []),
    ...(updated.length > 0 ? [`update (${wrap(updated, '  ')})`] : []),
  ]
  return parts.length > 0 ? [`grant ${parts.join(', ')} on public.${plan.table} to authenticated;`] : []
}

function triggerChanges({ plan, sources }: Compared): string[] {
  const written = [
    { name: `guard_${plan.table}`, trigger: `${plan.table}_guard`, sql: renderGuards(plan) },
    { name: `check_people_of_${plan.table}`, trigger: `${plan.table}_people`, sql: renderPeople(plan) },
  ]
  return written.flatMap(({ name, trigger, sql }) => {
    const body = /as \$\$(.*?)\$\$;/s.exec(sql)?.[1]
    const found = sources[name]
    if (body === found) return []
    const old =
      found === undefined
        ? []
        : [`drop trigger ${trigger} on public.${plan.table};`, `drop function app.${name}();`]
    return [...old, ...(sql ? [sql] : [])]
  })
}

function goneColumns({ definition, plan, table }: Compared): CatalogueColumn[] {
  const sorted = Object.values(definition.fields).flatMap(({ sort }) =>
    typeof sort === 'string' ? [sort] : [],
  )
  const kept = new Set([
    ...GIVEN,
    ...sorted,
    ...Object.keys(definition.fields),
    ...plan.derived.map(({ name }) => name),
    'search',
    'name_key',
  ])
  return table.columns.filter(({ name }) => !kept.has(name))
}

/** What turns the table as it is into the table the definition asks for. Pure. */
export function planChanges(compared: Compared, { drop }: { drop: boolean }): Changes {
  const { definition, plan, table, tables } = compared
  const on = `alter table public.${plan.table}`
  const gone = goneColumns(compared)
  const added = plan.columns.filter(({ name }) => !table.columns.some((column) => column.name === name))
  const isNew = new Set(added.map(({ name }) => name))
  const statements = [
    ...added.map((column) => {
      const reference = plan.references.find(
        (each) => each.column === column.name && !isComposite(plan, each),
      )
      return `${on} add column ${columnSql(column, reference && { ...reference, isTenant: false })};`
    }),
    ...plan.columns.flatMap((column) => {
      const found = table.columns.find(({ name }) => name === column.name)
      const field = definition.fields[column.name]
      return found && field && !isNew.has(column.name) && !found.isGenerated
        ? columnChanges(compared, column, found, field)
        : []
    }),
    ...derivedChanges(compared, drop ? gone.map(({ name }) => name) : []),
    ...constraintChanges(compared),
    ...referenceChanges(compared),
    ...plan.indexes
      .filter(({ columns }) => !hasIndex(table, columns))
      .map((index) => indexSql(plan.table, index)),
    ...triggerChanges(compared),
    ...grantChanges(compared),
    ...plan.joins.filter((join) => !tables.includes(join.table)).map((join) => renderJoin(join, plan)),
  ]
  const drops = gone
    .sort((a, b) => Number(b.isGenerated) - Number(a.isGenerated))
    .map(({ name }) => ({
      what: `the column \`${name}\` of \`${plan.table}\``,
      sql: `${on} drop column ${name};`,
    }))
  return { statements: [...statements, ...(drop ? drops.map(({ sql }) => sql) : [])], drops }
}
