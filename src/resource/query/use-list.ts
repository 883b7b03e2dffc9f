import { type BaseRecord, type HttpError, useList as useRefineList } from '@refinedev/core'
import { useMemo } from 'react'
import type { Can } from '@/access/policy'
import type { DataError } from '@/data/errors'
import { isLong } from '@/data/pieces'
import type { Row, RowList, RowOrder } from '@/data/rows'
import type { ConsoleList } from '@/refine/data-provider'
import type { Cache } from '@/refine/use-cache'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { findDefinition } from '@/resource/definition/registry'
import { listColumns, listFields } from '@/resource/query/columns'
import { sameRows } from '@/resource/query/keys'
import { listRequest } from '@/resource/query/list-request'
import { chosenColumns } from '@/resource/query/list-settings'
import { type ListState, parseListState } from '@/resource/query/list-state'
import { reconnectInterval } from '@/resource/query/refresh'
import { cachedSettings } from '@/resource/query/settings-query'
import { type MoreRows, usePieces } from '@/resource/query/use-pieces'
import type { ResourceScope } from '@/resource/query/use-scope'
import { defaultView, openingState, viewsOf } from '@/resource/query/view-state'

/** Reads the list behind a menu entry while the pointer rests on it: the list as it opens. */
export function prefetchList(cache: Cache, definition: Definition, scope: ResourceScope, can: Can): void {
  const settings = cachedSettings(cache)
  const view = defaultView(viewsOf(settings, definition.name))
  const state =
    openingState(view, definition, findDefinition, can) ??
    parseListState(new URLSearchParams(), definition, findDefinition)
  const chosen = chosenColumns(definition, state, settings, findDefinition)
  const fields = listFields(
    definition,
    listColumns(definition, scope.companyId, findDefinition, undefined, chosen),
  )
  const context = { companyId: scope.companyId, scope: scope.filter, find: findDefinition }
  const { page } = listRequest(definition, fields, state, context)
  void (isLong(state.pageSize) ? cache.prefetchInfinite(page) : cache.prefetchList(page))
}

export interface ListResult {
  list: RowList | undefined
  /** The order of the rows, which cursors are made of. */
  order: readonly RowOrder[]
  /** Undefined while it is counted: the count is a request of its own, after the rows. */
  total: number | undefined
  isPending: boolean
  /** Rows of the last question still stand while the new ones come. */
  isStale: boolean
  error: DataError | null
  refetch: () => void
  /** How the page goes on, where it is read piece by piece. */
  more: MoreRows | null
}

function asRowList(list: ConsoleList | undefined): RowList | undefined {
  return list && { rows: list.data as Row[], hasNext: list.hasNext, hasPrevious: list.hasPrevious }
}

export function useList(
  definition: Definition,
  columns: readonly string[],
  state: ListState,
  scope: ResourceScope,
  extra?: Filter,
): ListResult {
  const request = listRequest(definition, columns, state, {
    companyId: scope.companyId,
    scope: scope.filter,
    find: findDefinition,
    extra,
    source: scope.source,
    embeds: scope.embeds,
  })
  const isPieces = isLong(state.pageSize)
  const pieces = usePieces(request.page)
  const { query: short } = useRefineList<BaseRecord, HttpError>({
    ...request.page,
    queryOptions: {
      enabled: !isPieces,
      placeholderData: sameRows(request.page),
      refetchInterval: reconnectInterval,
      // Live messages tell of changes; coming back to the window moves no rows.
      refetchOnWindowFocus: definition.live === false,
    },
  })
  const page = isPieces ? pieces.query : short
  const rows = short.data as ConsoleList | undefined
  const shortList = useMemo(() => asRowList(rows), [rows])
  const list = isPieces ? pieces.list : shortList
  // A first page that is not full has been counted by reading it.
  const known = totalOf(page.isPlaceholderData ? undefined : list, state)
  const { query: count } = useRefineList<BaseRecord, HttpError>({
    ...request.count,
    queryOptions: { enabled: page.isSuccess && !page.isPlaceholderData && known === undefined },
  })
  return {
    list,
    order: request.order,
    total: known ?? count.data?.total,
    isPending: page.isPending,
    isStale: page.isPlaceholderData,
    // A piece that did not come is told where it is missing.
    error: pieces.more.error ? null : (page.error as unknown as DataError | null),
    refetch: () => void page.refetch(),
    more: isPieces ? pieces.more : null,
  }
}

function totalOf(list: RowList | undefined, state: ListState): number | undefined {
  // After a cursor the page's number is only a figure, since rows come and go before it.
  if (!list || list.hasNext || state.cursor || (list.rows.length === 0 && state.page > 1)) return undefined
  return (state.page - 1) * state.pageSize + list.rows.length
}
