import type { RowOrder, RowPage, RowSet } from '@/data/rows'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { listOf, tableOf } from '@/resource/definition/naming'
import { filterFromUrl } from '@/resource/filter/from-url'
import { toPostgrest } from '@/resource/filter/postgrest'
import type { FilterScope } from '@/resource/filter/scope'
import { buildSelect, type FindDefinition, matchEmbeds } from '@/resource/queries/select'
import { type ListSort, type ListState, parseSort } from '@/resource/screens/list/list-state'

/** The column whose order is the field's: a key column for text, since the database sorts by code point. */
export function sortColumn(definition: Definition, name: string): string | null {
  const sort = definition.fields[name]?.sort
  if (!sort) return null
  return typeof sort === 'string' ? sort : name
}

/** The sort in force: what the user asked for, else the view's, else the list's. */
export function effectiveSort(definition: Definition, state: ListState): ListSort | null {
  const list = listOf(definition)
  const view = state.view === null ? undefined : list?.views?.[state.view]
  return state.sort ?? parseSort(view?.sort) ?? parseSort(list?.sort)
}

/** Ends with the key, in the same direction: without it rows with equal values would swap between pages. */
export function orderOf(definition: Definition, sort: ListSort | null): RowOrder[] {
  const column = sort ? sortColumn(definition, sort.field) : null
  if (!sort || !column) return [{ column: 'id', descending: false }]
  return [
    { column, descending: sort.descending },
    { column: 'id', descending: sort.descending },
  ]
}

export function hasSearch(definition: Definition): boolean {
  const list = listOf(definition)
  return list?.search ?? Object.values(definition.fields).some((field) => field.search === true)
}

function narrowingLinks(definition: Definition, state: ListState): string[] {
  return Object.keys(state.filters).filter((name) => definition.fields[name]?.type === 'many-to-many')
}

export interface ListRequest {
  page: RowPage
  /** The same rows without page and order, and the narrow `select` to count them by. */
  count: RowSet & { select: string }
}

/** What a list asks the database for; pure, so that a hovered menu entry asks for exactly the same. */
export function listRequest(
  definition: Definition,
  columns: readonly string[],
  state: ListState,
  context: { companyId: string | null; scope: FilterScope; find: FindDefinition; extra?: Filter },
): ListRequest {
  const list = listOf(definition)
  const view = state.view === null ? undefined : list?.views?.[state.view]
  const filters = [list?.filter, view?.filter, context.extra, filterFromUrl(definition, state.filters)]
  const text = state.q.trim()
  const set: RowSet = {
    table: tableOf(definition),
    companyId: definition.tenant === false ? null : context.companyId,
    where: filters.flatMap((filter) => (filter ? toPostgrest(filter, context.scope) : [])),
    search: text && hasSearch(definition) ? { function: `search_${definition.name}`, text } : null,
  }
  const links = narrowingLinks(definition, state)
  return {
    page: {
      ...set,
      select: buildSelect(definition, columns, context.find, links),
      order: orderOf(definition, effectiveSort(definition, state)),
      page: state.page,
      pageSize: state.pageSize,
    },
    count: { ...set, select: ['id', ...matchEmbeds(definition, links)].join(',') },
  }
}
