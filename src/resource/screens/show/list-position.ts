import { matchPath } from 'react-router'
import { isLong } from '@/data/pieces'
import type { Row, RowList, RowPage } from '@/data/rows'
import { rowPage } from '@/refine/data-provider'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { hasShow, listPath, relatedAt, routeOf } from '@/resource/language/naming'
import { findDefinition, resourceEntries } from '@/resource/language/registry'
import type { FilterScope } from '@/resource/request/filter/scope'
import { listRequest, writeCursor } from '@/resource/request/query/list-request'
import { type ListState, parseListState, writeListState } from '@/resource/request/query/list-state'
import { returnPath } from '@/resource/screens/form/return-path'

/** The list a record was opened from, as its address says it. */
export interface ListPosition {
  pathname: string
  /** The tab of the list on its parent record. */
  tab: string | null
  state: ListState
  /** The list's page with nothing but key, title and its order's columns. */
  page: RowPage
}

export interface PositionContext {
  companyId: string | null
  scope: FilterScope
}

/** The parent record of a list of these rows at this address; null without one. */
function underRecord(definition: Definition, pathname: string, tab: string | null): Filter | null {
  for (const { definition: parent } of resourceEntries()) {
    if (!parent || !hasShow(parent)) continue
    const related = tab === null ? undefined : relatedAt(parent, tab)
    if (related?.resource !== definition.name) continue
    const id = matchPath(`/${routeOf(parent)}/:id/:tab?`, pathname)?.params.id
    if (id) return { [related.by]: { _eq: id } }
  }
  return null
}

function positionAt(
  definition: Definition,
  at: Pick<ListPosition, 'pathname' | 'tab' | 'state'>,
  { companyId, scope }: PositionContext,
): ListPosition | null {
  const extra =
    at.pathname === listPath(definition) ? undefined : underRecord(definition, at.pathname, at.tab)
  if (extra === null) return null
  const request = listRequest(definition, [], at.state, { companyId, scope, find: findDefinition, extra })
  const page = rowPage(request.page)
  const { pageSize } = page
  // Only the beginning of a long page; further down, the row's own key is used.
  return {
    ...at,
    page: isLong(pageSize) ? { ...page, pageSize: 100, offset: (page.page - 1) * pageSize } : page,
  }
}

/** From the state of a link into a record; null where it did not come from a list of such records. */
export function listPosition(
  definition: Definition,
  linkState: unknown,
  context: PositionContext,
): ListPosition | null {
  const from = returnPath(linkState, '')
  if (from === '') return null
  const { pathname, searchParams } = new URL(from, 'http://console')
  const state = parseListState(searchParams, definition, findDefinition)
  return positionAt(definition, { pathname, tab: searchParams.get('tab'), state }, context)
}

/** The page after, or before, these rows of a page. */
export function neighborPage(
  definition: Definition,
  position: ListPosition,
  rows: readonly Row[],
  way: 'after' | 'before',
  context: PositionContext,
): ListPosition | null {
  const { state } = position
  const cursor = writeCursor(rows, position.page.order, way)
  const page = Math.max(1, way === 'after' ? state.page + 1 : state.page - 1)
  return positionAt(definition, { ...position, state: { ...state, page, cursor } }, context)
}

/** The path of the page that holds a neighbor. A long page is never left within itself. */
export function neighborPath(definition: Definition, from: ListPosition, to: ListPosition): string {
  return positionPath(definition, isLong(from.state.pageSize) ? from : to)
}

/** The address to go back to: the page that now holds the record. */
export function positionPath(definition: Definition, { pathname, tab, state }: ListPosition): string {
  const params = writeListState(state, definition)
  if (tab !== null) params.set('tab', tab)
  return params.size > 0 ? `${pathname}?${params}` : pathname
}

/**
 * The row next to a record on a neighboring page. That page may hold the record itself at the start of the
 * list.
 */
export function nearestRow({ rows }: RowList, id: string, way: 'after' | 'before'): Row | undefined {
  const index = rows.findIndex((row) => row.id === id)
  if (way === 'after') return rows[index + 1]
  return index === -1 ? rows.at(-1) : rows[index - 1]
}
