import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { supabase } from '@/data/client'
import type { DataError } from '@/data/errors'
import { isLong, joinPieces, nextPiece, type PieceStart, readPiece } from '@/data/pieces'
import type { RowList } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { PIECES, tableKey } from '@/resource/queries/keys'
import type { ListRequest } from '@/resource/queries/list-request'
import { reconnectInterval } from '@/resource/queries/refresh'
import type { ResourceScope } from '@/resource/queries/use-scope'

export function pieceQuery(definition: Definition, scope: ResourceScope, { page }: ListRequest) {
  return {
    queryKey: [...tableKey(scope.companyId, tableOf(definition)), 'list', page, PIECES] as const,
    queryFn: ({ pageParam, signal }: { pageParam: PieceStart | null; signal: AbortSignal }) =>
      readPiece(supabase, page, pageParam, signal),
    initialPageParam: null as PieceStart | null,
    getNextPageParam: (_: RowList, pieces: RowList[]) => nextPiece(pieces, page.pageSize),
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

/** A long page, piece by piece; nothing is asked for where the page is a short one. */
export function usePieces(definition: Definition, scope: ResourceScope, request: ListRequest) {
  const { page } = request
  const query = useInfiniteQuery<
    RowList,
    DataError,
    InfiniteData<RowList, PieceStart | null>,
    readonly unknown[],
    PieceStart | null
  >({
    ...pieceQuery(definition, scope, request),
    enabled: isLong(page.pageSize),
    // The rows of another company must never stand in for this one's, not for a moment.
    placeholderData: (previous, before) =>
      before?.queryKey[0] === (scope.companyId ?? 'all') && before.queryKey[2] === page.table
        ? previous
        : undefined,
    refetchInterval: (each) => (each.state.data ? false : reconnectInterval(each)),
    // Thousands of rows: they are read again when somebody asks for what changed.
    refetchOnWindowFocus: false,
  })
  const { data, isPlaceholderData, isFetchingNextPage, isFetchNextPageError, hasNextPage } = query
  const list = useMemo(() => data && joinPieces(data.pages), [data])
  const hasMore = hasNextPage && !isPlaceholderData
  const fetchNext = () => void query.fetchNextPage({ cancelRefetch: false })
  const more: MoreRows = {
    hasMore,
    isLoading: isFetchingNextPage,
    error: isFetchNextPageError ? query.error : null,
    load: () => {
      if (hasMore && !query.isFetching && !isFetchNextPageError) fetchNext()
    },
    retry: fetchNext,
  }
  return { query, list, more }
}
