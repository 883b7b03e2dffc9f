import type { Definition, Field } from '@/resource/definition/definition.generated'
import { kindOf } from '@/resource/fields/kinds'
import type { CatalogColumn, CatalogKey, CatalogTable } from '../../../supabase/embedded/catalog'
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
import { rulesFromChecks, rulesOf } from './rules'
import { named, wrap } from './sql'

export interface Changes {
  statements: string[]
  /** What would be lost; done only when asked for. */
  drops: { what: string; sql: string }[]
}

export interface Compared {
  definition: Definition
  plan: TablePlan
  table: CatalogTable
  tables: readonly string[]
  /** Bodies of the trigger functions that `guards.ts` writes, by name. */
  sources: Readonly<Record<string, string>>
  /** Whether `resource new` made the table: the triggers of others are their own. */
  isGenerated: boolean
}

/** Rules of the database that the definition no longer states; without `drop` they stay. */
function isLooser(column: string, field: Field, table: CatalogTable): boolean {
  const wanted = rulesOf(field)
  return differingRules(column, field, table).every((key) => wanted[key] === undefined)
}

function checkChanges({ plan, table }: Compared, column: ColumnPlan): string[] {
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
  found: CatalogColumn,
  field: Field,
): { statements: string[]; drops: Changes['drops'] } {
  const { definition, plan, table } = compared
  const on = `alter table public.${plan.table} alter column ${column.name}`
  const statements: string[] = []
  const drops: Changes['drops'] = []
  if (!kindOf(field.type).columns.includes(found.type))
    statements.push(`${on} type ${column.type} using ${column.name}::${column.type};`)
  // What nobody writes here is held to rules where it is written.
  if (field.readonly || definition.form === false) return { statements, drops }
  const start = column.defaultTo
  if (start !== null && !start.startsWith('app.') && plain(found.expression ?? '') !== plain(start))
    statements.push(`${on} set default ${start};`)
  if (field.required && column.notNull && !found.isRequired) {
    if (start !== null)
      statements.push(
        `update public.${plan.table} set ${column.name} = ${start} where ${column.name} is null;`,
      )
    statements.push(`${on} set not null;`)
  }
  // With a default, "never empty" is the table's own business.
  if (!column.notNull && found.isRequired && found.expression === null)
    drops.push({ what: `that \`${column.name}\` is never empty`, sql: `${on} drop not null;` })
  if (differingRules(column.name, field, table).length > 0) {
    const changed = checkChanges(compared, column)
    if (isLooser(column.name, field, table))
      drops.push({ what: `the limits of \`${column.name}\``, sql: changed.join('\n') })
    else statements.push(...changed)
  }
  return { statements, drops }
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

function constraintChanges({ plan, table, isGenerated }: Compared): string[] {
  const on = `alter table public.${plan.table}`
  const present = new Set(table.checks.map(({ definition }) => plain(definition)))
  const ours = new RegExp(`^${plan.table}_\\w+_check0[12]$`)
  const stale = table.checks.filter(
    ({ name, definition }) =>
      plan.constraints.some((each) => each.name === name && plain(each.expression) !== plain(definition)) ||
      (ours.test(name) &&
        !plan.constraints.some((each) => each.name === name || plain(each.expression) === plain(definition))),
  )
  // A table written by hand may hold an old field to the same in words of its own.
  const isOurs = (name: string) => isGenerated || !table.columns.some((column) => column.name === name)
  const missing = plan.constraints.filter(
    ({ column, expression }) => isOurs(column) && !present.has(plain(expression)),
  )
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
    const holds = ({ target, columns }: CatalogKey) =>
      target === reference.table && (!composite || columns.includes('company_id'))
    if (keys.some(holds)) return []
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

function triggerChanges({ plan, sources, isGenerated }: Compared): string[] {
  if (!isGenerated) return []
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

function goneColumns({ definition, plan, table }: Compared): CatalogColumn[] {
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
  const changed = plan.columns.flatMap((column) => {
    const found = table.columns.find(({ name }) => name === column.name)
    const field = definition.fields[column.name]
    return found && field && !found.isGenerated ? [columnChanges(compared, column, found, field)] : []
  })
  const statements = [
    ...added.map((column) => {
      const reference = plan.references.find(
        (each) => each.column === column.name && !isComposite(plan, each),
      )
      return `${on} add column ${columnSql(column, reference && { ...reference, isTenant: false })};`
    }),
    ...changed.flatMap(({ statements }) => statements),
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
  const lost = gone
    .sort((a, b) => Number(b.isGenerated) - Number(a.isGenerated))
    .map(({ name }) => ({
      what: `the column \`${name}\` of \`${plan.table}\``,
      sql: `${on} drop column ${name};`,
    }))
  const drops = [...changed.flatMap((each) => each.drops), ...lost]
  return { statements: [...statements, ...(drop ? drops.map(({ sql }) => sql) : [])], drops }
}
