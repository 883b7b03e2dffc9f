import { renderAccess } from './access'
import { renderBounds } from './bounds'
import type { ColumnPlan } from './columns'
import { filesSql } from './files'
import { renderGuards, renderPeople } from './guards'
import { hiddenSearchSql, keepHiddenSql } from './hidden'
import { renderJoin } from './joins'
import { overlapSql } from './no-overlap'
import type { ReferencePlan, TablePlan } from './plan'
import { renderRowRules } from './row-rules'
import { literal, named } from './sql'
import { renderTrash, TRASH_COLUMNS } from './trash'
import { uniqueSql } from './unique'

export function checkClause(column: ColumnPlan): string {
  return column.checks.length === 0 ? '' : ` check (${column.checks.join(' and ')})`
}

/** A column as `create table` and `add column` write it. */
export function columnSql(column: ColumnPlan, reference?: ReferencePlan): string {
  const defaultTo = column.defaultTo === null ? '' : ` default ${column.defaultTo}`
  // A key to a table of everybody stands with its column; one to a tenant's is over two.
  const inline = reference && !reference.isTenant ? ` ${targetSql(reference)}` : ''
  return `${column.name} ${column.type}${column.notNull ? ' not null' : ''}${defaultTo}${inline}${checkClause(column)}`
}

export function derivedSql({ name, expression }: { name: string; expression: string }): string {
  return `${name} text generated always as (${expression}) stored`
}

const ON_DELETE = { refuse: '', cascade: ' on delete cascade', 'set null': ' on delete set null' }

/** The `references` clause of a key of one column. */
export function targetSql({ table, onDelete }: ReferencePlan): string {
  return `references public.${table} (id)${ON_DELETE[onDelete]}`
}

/** A key over company and id: a plain one would be checked past row-level security, into any company. */
export function foreignKeySql({ column, table, onDelete, keyName }: ReferencePlan): string {
  const end = onDelete === 'set null' ? ` on delete set null (${column})` : ON_DELETE[onDelete]
  if (keyName)
    return `constraint ${keyName} foreign key (${column}, company_id) references public.${table} (id, company_id)${end}`
  return `foreign key (company_id, ${column}) references public.${table} (company_id, id)${end}`
}

export function indexSql(table: string, { name, columns }: { name: string; columns: string[] }): string {
  return `create index ${name} on public.${table} (${columns.join(', ')});`
}

export function isComposite(plan: TablePlan, reference: ReferencePlan): boolean {
  return plan.isTenant && reference.isTenant
}

function tableSql(plan: TablePlan): string {
  const reference = (column: string) =>
    plan.references.find((each) => each.column === column && !isComposite(plan, each))
  const lines = [
    'id uuid default gen_random_uuid() primary key',
    ...(plan.isTenant ? ['company_id uuid not null references public.companies (id)'] : []),
    ...plan.columns.map((column) => {
      const found = reference(column.name)
      return columnSql(column, found && { ...found, isTenant: false })
    }),
    ...plan.derived.map(derivedSql),
    ...(plan.trash ? TRASH_COLUMNS : []),
    'version integer not null default 1',
    'created_at timestamptz not null default now()',
    'updated_at timestamptz not null default now()',
    ...(plan.isTenant ? ['unique (company_id, id)'] : []),
    ...plan.references.filter((each) => isComposite(plan, each)).map(foreignKeySql),
    ...plan.constraints.map(({ name, expression }) => `constraint ${name} check (${expression})`),
  ]
  return `create table public.${plan.table} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);`
}

function keeping(plan: TablePlan): string[] {
  const table = literal(`public.${plan.table}`)
  const resource = plan.resource === plan.table ? '' : `, ${literal(plan.resource)}`
  // The audit log leaves name_key and search out by itself.
  const machineWritten = plan.derived.flatMap(({ name }) =>
    ['name_key', 'search'].includes(name) ? [] : [name],
  )
  const ignored = machineWritten.length > 0 ? `, 'id', array[${machineWritten.map(literal).join(', ')}]` : ''
  return [
    `select app.keep_tenant(${table}${resource});`,
    `select app.keep_audit(${table}${ignored});`,
    ...(plan.isTenant ? [`select app.keep_announced(${table});`] : []),
    ...(plan.isSearched ? [`select app.keep_search(${table});`] : []),
    ...filesSql(plan),
  ]
}

/** This line tells `migrate` that the table and its triggers were generated, so that they are safe to change. */
export const GENERATED_MARK = '-- Written by `npm run resource new`'

/** The migration that makes a resource's table, in the order every migration here reads. Pure. */
export function renderCreate(plan: TablePlan, comment: string): string {
  const created = [
    tableSql(plan),
    `comment on table public.${plan.table} is ${literal(comment)};`,
    ...plan.indexes.map((index) => indexSql(plan.table, index)),
    ...plan.uniques.map((unique) => uniqueSql(plan.table, unique)),
    ...(plan.overlap ? overlapSql(plan.table, plan.overlap) : []),
  ]
  const blocks = [
    `-- ${comment}\n${GENERATED_MARK}; what changes later is a migration of its own.`,
    created.join('\n'),
    keeping(plan).join('\n'),
    renderPeople(plan),
    renderGuards(plan),
    renderBounds(plan),
    renderAccess(plan),
    ...plan.joins.map((join) => renderJoin(join, plan)),
    renderRowRules(plan),
    [
      ...plan.hidden.map((each) => keepHiddenSql(plan.table, each)),
      ...(plan.hidden.some(({ isSearched }) => isSearched) ? [hiddenSearchSql(plan)] : []),
    ].join('\n'),
    renderTrash(plan),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

export const searchIndexName = (table: string): string => named(table, 'search', 'idx')
