import { type BaseRecord, type HttpError, useInfiniteList } from '@refinedev/core'
import { useMemo } from 'react'
import type { DataError } from '@/data/errors'
import { isLong, joinPieces } from '@/data/pieces'
import type { Row } from '@/data/rows'
import type { ConsoleList } from '@/refine/data-provider'
import type { ListQuestion } from '@/refine/keys'
import { sameRows } from '@/resource/query/keys'
import { reconnectInterval } from '@/resource/query/refresh'

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
export function usePieces(question: ListQuestion) {
  const { query } = useInfiniteList<BaseRecord, HttpError>({
    ...question,
    queryOptions: {
      enabled: isLong(question.pagination.pageSize),
      getNextPageParam: ({ cursor }) => cursor?.next,
      placeholderData: sameRows(question),
      refetchInterval: (each) => (each.state.data ? false : reconnectInterval(each)),
      // Thousands of rows: they are read again when somebody asks for what changed.
      refetchOnWindowFocus: false,
    },
  })
  const { data, isPlaceholderData, isFetchingNextPage, isFetchNextPageError, hasNextPage } = query
  const list = useMemo(
    () =>
      data &&
      joinPieces(
        data.pages.map((piece) => {
          const { data: rows, hasNext, hasPrevious } = piece as ConsoleList
          return { rows: rows as Row[], hasNext, hasPrevious }
        }),
      ),
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
