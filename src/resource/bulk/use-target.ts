import { useEffect, useState } from 'react'
import { type DataError, toDataError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { useRpcCall } from '@/refine/use-rpc'
import { type Matching, readMatching } from '@/resource/bulk/bulk-calls'

/**
 * Individually selected rows, or all matching rows; then `of` is the size of the list, if an action takes
 * fewer.
 */
export type BulkTarget = { rows: readonly Row[] } | { matching: Matching; of: number | undefined }

interface TargetIds {
  ids: readonly string[] | null
  found: number
  error: DataError | null
}

/** The rows of a job, found before it asks, so that the number in its question is the number it processes. */
export function useTarget(target: BulkTarget): TargetIds {
  const [state, setState] = useState<TargetIds>(() =>
    'rows' in target
      ? { ids: target.rows.map(({ id }) => String(id)), found: target.rows.length, error: null }
      : { ids: null, found: 0, error: null },
  )
  const call = useRpcCall()
  useEffect(() => {
    if ('rows' in target) return
    let isGone = false
    readMatching(
      call,
      target.matching,
      () => isGone,
      (found) => {
        if (!isGone) setState((before) => ({ ...before, found }))
      },
    ).then(
      (ids) => {
        if (!isGone) setState({ ids, found: ids.length, error: null })
      },
      (error: unknown) => {
        if (!isGone) setState((before) => ({ ...before, error: toDataError(error) }))
      },
    )
    return () => {
      isGone = true
    }
  }, [target, call])
  return state
}
