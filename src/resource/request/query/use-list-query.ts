import { type BaseRecord, type HttpError, useInfiniteList, useList } from '@refinedev/core'
import { useMemo } from 'react'
import type { Can } from '@/access/policy'
import type { DataError } from '@/data/errors'
import type { RowOrder } from '@/data/keyset'
import { isLong, joinPieces } from '@/data/pieces'
import type { Row, RowList } from '@/data/rows'
import type { ConsoleList } from '@/refine/data-provider'
import type { ListQuestion } from '@/refine/keys'
import type { Cache, Query } from '@/refine/use-cache'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { listColumns, listFields } from '@/resource/request/query/columns'
import { listRequest } from '@/resource/request/query/list-request'
import { type ListState, parseListState } from '@/resource/request/query/list-state'
import { reconnectInterval } from '@/resource/request/query/refetch-rules'
import {
  cachedSettings,
  chosenColumns,
  defaultView,
  openingState,
  viewsOf,
} from '@/resource/request/query/saved-views'
import type { ResourceScope } from '@/resource/request/query/use-scope'

interface Asked {
  companyId?: unknown
  table?: unknown
}

/**
 * Keeps the rows of the question before while the next ones come, within one table and one company: rows of another
 * company are never shown, not even for a moment.
 */
function sameRows({ meta }: ListQuestion) {
  return <Data>(previous: Data | undefined, query: Pick<Query, 'queryKey'> | undefined): Data | undefined => {
    const before = query?.queryKey.at(-1) as Asked | undefined
    return before && before.table === meta.table && before.companyId === meta.companyId ? previous : undefined
  }
}

/** How a long page goes on. */
export interface MoreRows {
  /** Whether the page, not the list, has further rows to read. */
  hasMore: boolean
  isLoading: boolean
  /** Why the piece after the rows on screen did not come. */
  error: DataError | null
  /** Asks for the next piece; nothing happens while one is on its way, or after one that failed. */
  load: () => void
  retry: () => void
}

function asRowList({ data, hasNext, hasPrevious }: ConsoleList): RowList {
  return { rows: data as Row[], hasNext, hasPrevious }
}

/** A long page, piece by piece; nothing is asked for where the page is a short one. */
function usePieces(question: ListQuestion, isOff: boolean) {
  const { query } = useInfiniteList<BaseRecord, HttpError>({
    ...question,
    queryOptions: {
      enabled: !isOff && isLong(question.pagination.pageSize),
      getNextPageParam: ({ cursor }) => cursor?.next,
      placeholderData: sameRows(question),
      refetchInterval: (each) => (each.state.data ? false : reconnectInterval(each)),
      // Thousands of rows: they are read again when somebody asks for what changed.
      refetchOnWindowFocus: false,
    },
  })
  const { data, isPlaceholderData, isFetchingNextPage, isFetchNextPageError, hasNextPage } = query
  const list = useMemo(
    () => data && joinPieces(data.pages.map((piece) => asRowList(piece as ConsoleList))),
    [data],
  )
  const hasMore = hasNextPage && !isPlaceholderData
  const fetchNext = () => void query.fetchNextPage({ cancelRefetch: false })
  const more: MoreRows = {
    hasMore,
    isLoading: isFetchingNextPage,
    error: isFetchNextPageError ? (query.error as unknown as DataError) : null,
    load: () => {
      if (hasMore && !query.isFetching && !isFetchNextPageError) fetchNext()
    },
    retry: fetchNext,
  }
  return { query, list, more }
}

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
  /** The rows of the last question are still shown while the new ones load. */
  isStale: boolean
  error: DataError | null
  refetch: () => void
  /** How the page goes on, where it is read piece by piece. */
  more: MoreRows | null
}

interface ListQueryOptions {
  /** Asks for nothing. */
  isOff?: boolean
  /** Whether all rows are counted, by a request of its own. */
  isCounted?: boolean
  /** Rows per request of a long page. */
  piece?: number
}

export function useListQuery(
  definition: Definition,
  columns: readonly string[],
  state: ListState,
  scope: ResourceScope,
  extra?: Filter,
  { isOff = false, isCounted = true, piece }: ListQueryOptions = {},
): ListResult {
  const request = listRequest(definition, columns, state, {
    companyId: scope.companyId,
    scope: scope.filter,
    find: findDefinition,
    extra,
    source: scope.source,
    embeds: scope.embeds,
    piece,
  })
  const isPieces = isLong(state.pageSize)
  const pieces = usePieces(request.page, isOff)
  const { query: short } = useList<BaseRecord, HttpError>({
    ...request.page,
    queryOptions: {
      enabled: !isOff && !isPieces,
      placeholderData: sameRows(request.page),
      refetchInterval: reconnectInterval,
      // Live messages tell of changes; coming back to the window moves no rows.
      refetchOnWindowFocus: definition.live === false,
    },
  })
  const page = isPieces ? pieces.query : short
  const rows = short.data as ConsoleList | undefined
  const shortList = useMemo(() => rows && asRowList(rows), [rows])
  const list = isPieces ? pieces.list : shortList
  // A first page that is not full has been counted by reading it.
  const known = totalOf(page.isPlaceholderData ? undefined : list, state)
  const { query: count } = useList<BaseRecord, HttpError>({
    ...request.count,
    queryOptions: {
      enabled: isCounted && !isOff && page.isSuccess && !page.isPlaceholderData && known === undefined,
    },
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
