import type { ComponentProps, ReactNode } from 'react'
import { DeniedError } from '@/data/errors'
import { useErrorText } from '@/resource/use-error-text'
import { DeniedState } from '@/ui/denied-state'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'

/** A query as Refine's hooks and `useRpc` return it. */
interface ShownQuery {
  data: unknown
  error: unknown
  refetch: () => unknown
}

interface QueryStateProps {
  /** A query, or several whose data is shown together. */
  query: ShownQuery | readonly ShownQuery[]
  /** Lines of the skeleton. */
  rows?: number
  /** In place of the skeleton. */
  loading?: ReactNode
  /** The words for data without rows. */
  empty?: ComponentProps<typeof EmptyState>
  /** The title of a failure. */
  title?: string
  /** The text of a failure that has none of its own. */
  fallback?: string
}

const isList = (query: QueryStateProps['query']): query is readonly ShownQuery[] => Array.isArray(query)

/**
 * In place of a query's data: denied, failed with a retry, loading, or empty. A caller returns it while it has nothing to
 * show: `if (!query.data) return <QueryState query={query} rows={4} />`.
 */
export function QueryState({ query, rows, loading, empty, title, fallback }: QueryStateProps) {
  const errorText = useErrorText()
  const queries = isList(query) ? query : [query]
  const failed = queries.filter(({ error }) => error)
  const error = failed[0]?.error
  if (error instanceof DeniedError) return <DeniedState text={errorText(error)} />
  if (error) {
    return (
      <ErrorState
        {...(title === undefined ? {} : { title })}
        text={errorText(error, fallback)}
        onRetry={() => {
          for (const { refetch } of failed) void refetch()
        }}
      />
    )
  }
  if (queries.some(({ data }) => data == null))
    return loading ?? <LoadingState {...(rows === undefined ? {} : { rows })} />
  return empty ? <EmptyState {...empty} /> : null
}
