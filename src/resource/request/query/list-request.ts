import type { CrudFilter } from '@refinedev/core'
import { cursorFrom, isKeyValue, type RowCursor, type RowOrder } from '@/data/keyset'
import type { Row } from '@/data/rows'
import type { RowSource } from '@/refine/data-provider'
import type { ListQuestion } from '@/refine/keys'
import { kindOf } from '@/resource/fields/kinds'
import { isDotted } from '@/resource/fields/related-field'
import type { Definition, Field, Filter } from '@/resource/language/definition.generated'
import { hiddenColumn } from '@/resource/language/embed-keys'
import type { FindDefinition } from '@/resource/language/entry'
import { listOf, tableOf } from '@/resource/language/naming'
import { toCrudFilters } from '@/resource/request/filter/crud-filters'
import { columnOf, filterFromUrl } from '@/resource/request/filter/from-url'
import { filterFields } from '@/resource/request/filter/mentioned-fields'
import type { FilterScope } from '@/resource/request/filter/scope'
import { whereFilter } from '@/resource/request/filter/where'
import {
  type ListCursor,
  type ListSort,
  type ListState,
  lastPage,
  parseSort,
} from '@/resource/request/query/list-state'
import { buildSelect, matchEmbeds } from '@/resource/request/query/select'

/** The column whose order is the field's: a key column for text, since the database sorts by code point. */
function sortColumn(definition: Definition, name: string, isFound: boolean): string | null {
  const field = definition.fields[name]
  if (!field?.sort) return null
  if (isHidden(field)) {
    // The rows that a search finds hold the value itself, for those who may read it.
    if (isFound) return name
    return kindOf(field.type).isText ? `${hiddenColumn(name)}_key` : hiddenColumn(name)
  }
  return typeof field.sort === 'string' ? field.sort : name
}

const isHidden = (field: Field | undefined): boolean => field?.guard?.read !== undefined && !field.from

/** Conditions on hidden fields, by the names under which the database reads them. */
function onHidden(definition: Definition, filter: CrudFilter): CrudFilter {
  if (!('field' in filter))
    return { ...filter, value: filter.value.map((each) => onHidden(definition, each)) }
  return isHidden(definition.fields[filter.field]) ? { ...filter, field: hiddenColumn(filter.field) } : filter
}

/** The declared view that the list shows, if any. */
export function viewOf(definition: Definition, { view }: Pick<ListState, 'view'>) {
  return view === null ? undefined : listOf(definition)?.views?.[view]
}

/** The sort in force: what the user asked for, else the view's, else the list's. */
export function effectiveSort(
  definition: Definition,
  state: Pick<ListState, 'sort' | 'view'>,
): readonly ListSort[] {
  const list = listOf(definition)
  const view = viewOf(definition, state)
  const sorts = [state.sort, parseSort(view?.sort), parseSort(list?.sort)]
  return sorts.find((sort) => sort.length > 0) ?? []
}

/**
 * Ends with the key: without it rows with equal values would swap between pages. In the last column's
 * direction, so that one index serves a column both ways.
 */
export function orderOf(definition: Definition, sorts: readonly ListSort[], isFound = false): RowOrder[] {
  const order = sorts.flatMap(({ field, descending }): RowOrder[] => {
    const column = sortColumn(definition, field, isFound)
    return column ? [{ column, descending }] : []
  })
  return [...order, { column: 'id', descending: order.at(-1)?.descending ?? false }]
}

/** A cursor is only good for the order it was made in. */
function signature(order: readonly RowOrder[]): string {
  return order.map(({ column, descending }) => (descending ? `-${column}` : column)).join()
}

/** Where the page after, or before, these rows starts, as the address says it; null when only its number can. */
export function writeCursor(
  rows: readonly Row[],
  order: readonly RowOrder[],
  way: RowCursor['way'],
): ListCursor | null {
  const cursor = cursorFrom(rows, order, way)
  if (!cursor) return null
  const bytes = new TextEncoder().encode(
    JSON.stringify([signature(order), cursor.isRun ? 1 : 0, ...cursor.values]),
  )
  const text = btoa(String.fromCharCode(...bytes))
  return { way, key: text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') }
}

/** Anyone can edit an address: a cursor that does not fit this order is ignored. */
function readCursor(cursor: ListCursor | null, order: readonly RowOrder[]): RowCursor | null {
  if (!cursor) return null
  try {
    const text = atob(cursor.key.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (!Array.isArray(parsed)) return null
    const [made, isRun, ...values] = parsed as unknown[]
    if (made !== signature(order) || values.length !== order.length || !values.every(isKeyValue)) return null
    return { way: cursor.way, values, isRun: isRun === 1 }
  } catch {
    return null
  }
}

export function hasSearch(definition: Definition): boolean {
  const list = listOf(definition)
  return list?.search ?? Object.values(definition.fields).some((field) => field.search === true)
}

/** Finds the many-to-many field that leads to the record of another resource above the list. */
function linksOf(definition: Definition, extra: Filter | undefined): string[] {
  const asked = new Set(filterFields(extra))
  return Object.entries(definition.fields).flatMap(([name, field]) =>
    field.type === 'many-to-many' && asked.has(columnOf(name, field)) ? [name] : [],
  )
}

function narrowingLinks(definition: Definition, state: ListState, extra: Filter | undefined): string[] {
  const view = viewOf(definition, state)
  const names = new Set([
    ...Object.keys(state.filters),
    ...filterFields(view?.filter),
    ...linksOf(definition, extra),
  ])
  return [...names].filter(
    (name) =>
      isDotted(name) ||
      definition.fields[name]?.type === 'many-to-many' ||
      definition.fields[name]?.from !== undefined,
  )
}

export interface ListRequest {
  page: ListQuestion
  /** The same rows without page and order, and the narrow `select` to count them by. */
  count: ListQuestion
  /** The order of the rows, which cursors are made of. */
  order: readonly RowOrder[]
}

/** The list's default filter, until something asks for one of its fields. */
function defaultFilter(definition: Definition, state: ListState): Filter | undefined {
  const list = listOf(definition)
  const view = viewOf(definition, state)
  const asked = new Set([
    ...Object.keys(state.filters),
    ...filterFields(view?.filter),
    ...filterFields(state.where ?? undefined),
  ])
  return filterFields(list?.default_filter).some((name) => asked.has(name)) ? undefined : list?.default_filter
}

const withoutFields = (filter: Filter, names: readonly string[] = []): Filter =>
  Object.fromEntries(Object.entries(filter).filter(([name]) => !names.includes(name)))

/** A view's filter, whose conditions on links are on the rows of the table between. */
export function viewFilter(definition: Definition, filter: Filter | undefined): Filter | undefined {
  if (filter === undefined) return undefined
  return Object.fromEntries(
    Object.entries(filter).map(([name, condition]) => {
      const field = definition.fields[name]
      return [field?.type === 'many-to-many' ? columnOf(name, field) : name, condition]
    }),
  )
}

/**
 * Which rows the list is about, its search apart: all of them, not the page. The conditions of the open view on the
 * fields `without` are left out.
 */
export function listFilter(
  definition: Definition,
  state: ListState,
  context: { find: FindDefinition; extra?: Filter; without?: readonly string[] },
): Filter {
  const list = listOf(definition)
  const view = viewOf(definition, state)
  const filters = [
    list?.filter,
    defaultFilter(definition, state),
    viewFilter(definition, view && withoutFields(view.filter, context.without)),
    context.extra,
    filterFromUrl(definition, state.filters, context.find),
    state.where ? whereFilter(definition, state.where) : undefined,
  ]
  return { _and: filters.filter((filter) => filter !== undefined) }
}

/**
 * The value of `$now` in a list. It is rounded to the minute, or every drawing of it would ask a new question, and
 * every answer is a drawing; the end of the minute counts, so that a row written a second ago is of the past.
 */
function minuteEnd(): Date {
  return new Date(Math.ceil(Date.now() / 60_000) * 60_000)
}

interface ListContext {
  companyId: string | null
  scope: FilterScope
  find: FindDefinition
  extra?: Filter
  source?: RowSource | undefined
  embeds?: string | undefined
  /** Rows per request of a long page, where fewer than usual are wanted at first. */
  piece?: number | undefined
}

/** The requests of a list to the database; pure, so that a hovered menu entry asks for exactly the same. */
export function listRequest(
  definition: Definition,
  columns: readonly string[],
  state: ListState,
  context: ListContext,
): ListRequest {
  const text = state.q.trim()
  const links = narrowingLinks(definition, state, context.extra)
  const table = tableOf(definition)
  const isSearch = text !== '' && hasSearch(definition)
  // Below row-level security the rows of a rule are no index condition; the search finds somebody's few rows by their ids.
  const isByRule = context.scope.isLimited?.(definition.name) === true && hasSearch(definition)
  const source = context.source ?? (isByRule ? { name: `search_${table}`, args: {} } : undefined)
  const isFound = isSearch || isByRule
  const order = orderOf(definition, effectiveSort(definition, state), isFound)
  const given = toCrudFilters(listFilter(definition, state, context), {
    now: minuteEnd(),
    ...context.scope,
  })
  const filters = isFound ? given : given.map((each) => onHidden(definition, each))
  const set = {
    table,
    companyId: definition.tenant === false ? null : context.companyId,
    ...(isSearch ? { search: text } : {}),
    ...(source ? { readBy: source } : {}),
  }
  const resource = definition.name
  return {
    page: {
      resource,
      filters,
      sorters: order.map(({ column, descending }) => ({ field: column, order: descending ? 'desc' : 'asc' })),
      pagination: { currentPage: Math.min(state.page, lastPage(state.pageSize)), pageSize: state.pageSize },
      meta: {
        ...set,
        select: [
          buildSelect(definition, columns, context.find, {
            narrowedBy: links,
            columns: order.map(({ column }) => column),
          }),
          ...(context.embeds ? [context.embeds] : []),
        ].join(','),
        cursor: readCursor(state.cursor, order),
        ...(context.piece ? { piece: context.piece } : {}),
        count: 'none',
      },
    },
    count: {
      resource,
      filters,
      sorters: [],
      pagination: { currentPage: 1, pageSize: 1 },
      meta: {
        ...set,
        select: ['id', ...matchEmbeds(definition, links, context.find)].join(','),
        count: 'only',
      },
    },
    order,
  }
}
