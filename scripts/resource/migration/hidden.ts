import { hiddenTable } from '@/resource/language/embed-keys'
import type { CatalogTable } from '../../../supabase/embedded/catalog'
import type { HiddenPlan, TablePlan } from './plan'
import { literal } from './sql'

/** Moves the values of a hidden field to a table of their own. */
export function keepHiddenSql(table: string, { column, object, verb }: HiddenPlan): string {
  return `select app.keep_hidden(${literal(`public.${table}`)}, ${literal(column)}, ${literal(object)}, ${literal(verb)});`
}

/** The hidden fields of the definition that the database does not hide yet. */
export function missingHidden(
  plan: Pick<TablePlan, 'table' | 'hidden'>,
  tables: readonly string[],
): HiddenPlan[] {
  return plan.hidden.filter(({ column }) => !tables.includes(hiddenTable(plan.table, column)))
}

/** The columns that the database hides and the definition does not. */
export function staleHidden(plan: Pick<TablePlan, 'table' | 'hidden'>, tables: readonly string[]): string[] {
  const start = hiddenTable(plan.table, '')
  return tables
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length))
    .filter((column) => !plan.hidden.some((each) => each.column === column))
}

/** The search of a table by its hidden fields. */
export function hiddenSearchSql(plan: Pick<TablePlan, 'table' | 'hidden'>): string {
  const searched = plan.hidden.filter(({ isSearched }) => isSearched).map(({ column }) => column)
  return `select app.keep_hidden_search(${literal(`public.${plan.table}`)}, ${literal(`{${searched.join(',')}}`)});`
}

/** Whether the search reads other hidden fields than the definition says: a searched one has a column for it. */
export function isSearchStale(
  plan: Pick<TablePlan, 'table' | 'hidden'>,
  tables: readonly CatalogTable[],
): boolean {
  return plan.hidden.some(({ column, isSearched }) => {
    const side = tables.find(({ name }) => name === hiddenTable(plan.table, column))
    return (side?.columns.some(({ name }) => name === 'search') ?? false) !== isSearched
  })
}

/** Drops what reads and keeps a hidden column, which would hold the column. */
export function dropHiddenSql(table: string, column: string): string {
  return [
    `drop trigger ${table}_zz_hide_${column} on public.${table};`,
    `drop function if exists public.hidden_${column}_key(public.${table});`,
    `drop function public.hidden_${column}(public.${table});`,
    `drop table public.${hiddenTable(table, column)};`,
    '',
  ].join('\n')
}
