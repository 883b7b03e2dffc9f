import { type QueryClient, useQuery } from '@tanstack/react-query'
import { supabase } from '@/data/client'
import type { DataError } from '@/data/errors'
import { isLong } from '@/data/pieces'
import { countRows, type RowList, type RowOrder, readPage } from '@/data/rows'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { chosenColumns } from '@/resource/preferences/list-settings'
import { cachedSettings } from '@/resource/preferences/settings-query'
import { tableKey } from '@/resource/queries/keys'
import { type ListRequest, listRequest } from '@/resource/queries/list-request'
import { reconnectInterval } from '@/resource/queries/refresh'
import { type MoreRows, pieceQuery, usePieces } from '@/resource/queries/use-pieces'
import type { ResourceScope } from '@/resource/queries/use-scope'
import { findDefinition } from '@/resource/registry'
import { listColumns, listFields } from '@/resource/screens/list/columns'
import { type ListState, parseListState } from '@/resource/screens/list/list-state'
import { defaultView, viewState, viewsOf } from '@/resource/views/view-state'

function pageQuery(definition: Definition, scope: ResourceScope, request: ListRequest) {
  return {
    queryKey: [...tableKey(scope.companyId, tableOf(definition)), 'list', request.page] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) => readPage(supabase, request.page, signal),
  }
}

/** What the menu's entry leads to, read while the pointer rests on it: the list as it opens. */
export function prefetchList(client: QueryClient, definition: Definition, scope: ResourceScope): void {
  const settings = cachedSettings(client)
  const view = defaultView(viewsOf(settings, definition.name))
  const state = view
    ? viewState(view, definition, findDefinition)
    : parseListState(new URLSearchParams(), definition, findDefinition)
  const chosen = chosenColumns(definition, state, settings, findDefinition)
  const fields = listFields(
    definition,
    listColumns(definition, scope.companyId, findDefinition, undefined, chosen),
  )
  const context = { companyId: scope.companyId, scope: scope.filter, find: findDefinition }
  const request = listRequest(definition, fields, state, context)
  if (isLong(state.pageSize))
    void client.prefetchInfiniteQuery({ ...pieceQuery(definition, scope, request), staleTime: 10_000 })
  else void client.prefetchQuery({ ...pageQuery(definition, scope, request), staleTime: 10_000 })
}

export interface ListResult {
  list: RowList | undefined
  /** What the rows are ordered by, which cursors are made of. */
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
  })
  const isPieces = isLong(state.pageSize)
  const pieces = usePieces(definition, scope, request)
  const short = useQuery<RowList, DataError>({
    ...pageQuery(definition, scope, request),
    enabled: !isPieces,
    // The rows of another company must never stand in for this one's, not for a moment.
    placeholderData: (previous, query) =>
      query?.queryKey[0] === (scope.companyId ?? 'all') && query.queryKey[2] === request.page.table
        ? previous
        : undefined,
    refetchInterval: reconnectInterval,
    // Live messages tell what came meanwhile; coming back to the window moves no rows.
    refetchOnWindowFocus: definition.live === false,
  })
  const page = isPieces ? pieces.query : short
  const list = isPieces ? pieces.list : short.data
  // A first page that is not full has been counted by reading it.
  const known = totalOf(page.isPlaceholderData ? undefined : list, state)
  const count = useQuery<number, DataError>({
    queryKey: [...tableKey(scope.companyId, tableOf(definition)), 'count', request.count] as const,
    queryFn: ({ signal }) => countRows(supabase, request.count, request.count.select, signal),
    enabled: page.isSuccess && !page.isPlaceholderData && known === undefined,
  })
  return {
    list,
    order: request.page.order,
    total: known ?? count.data,
    isPending: page.isPending,
    isStale: page.isPlaceholderData,
    // A piece that did not come is told where it is missing.
    error: pieces.more.error ? null : page.error,
    refetch: () => void page.refetch(),
    more: isPieces ? pieces.more : null,
  }
}

function totalOf(list: RowList | undefined, state: ListState): number | undefined {
  // After a cursor the page's number is only a figure, since rows come and go before it.
  if (!list || list.hasNext || state.cursor || (list.rows.length === 0 && state.page > 1)) return undefined
  return (state.page - 1) * state.pageSize + list.rows.length
}
