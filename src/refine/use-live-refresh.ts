import { useEffect, useRef } from 'react'
import { isReadUntil, type LiveChange } from '@/data/live'
import { useCache } from '@/refine/use-cache'
import { useLiveChanges } from '@/refine/use-live-changes'

/**
 * Calls `action` at once and then at most once per interval, with a last call after the last request: a
 * reporting fleet causes one refresh a second, and the last change is never dropped.
 */
export function coalesce(action: () => void, interval = 1000): { request: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWanted = false
  const pause = () => {
    timer = setTimeout(() => {
      timer = undefined
      if (!isWanted) return
      isWanted = false
      action()
      pause()
    }, interval)
  }
  return {
    request: () => {
      if (timer !== undefined) {
        isWanted = true
        return
      }
      action()
      pause()
    },
    stop: () => clearTimeout(timer),
  }
}

/** A query as Refine's hooks give it. */
interface ShownQuery {
  isEnabled: boolean
  dataUpdatedAt: number
  refetch: () => unknown
}

/** Refetches the queries when one of the tables changes in the company (null: in any). */
export function useLiveRefresh(
  companyId: string | null,
  tables: readonly string[],
  shown: readonly ShownQuery[],
  /** The pause between two refetches, in ms. */
  interval?: number,
): void {
  const cache = useCache()
  const current = useRef(shown)
  useEffect(() => {
    current.current = shown
  })
  const refresh = useRef<ReturnType<typeof coalesce>>(undefined)
  useEffect(() => {
    refresh.current = coalesce(() => readAgain(current.current), interval)
    return () => refresh.current?.stop()
  }, [interval])
  const handleChange = ({ readUntil }: LiveChange) => {
    // Data that is not on the screen, such as another page of the table, is read again when it is next shown.
    for (const table of tables) void cache.invalidate(table, { isShownKept: true })
    if (readUntil === undefined) refresh.current?.request()
    else
      readAgain(
        current.current.filter(({ dataUpdatedAt }) => isReadUntil(readUntil)({ state: { dataUpdatedAt } })),
      )
  }
  const [table = '*', ...further] = tables
  useLiveChanges({ table, tables: further, companyId, enabled: tables.length > 0 }, handleChange)
}

function readAgain(queries: readonly ShownQuery[]): void {
  for (const { isEnabled, refetch } of queries) if (isEnabled) void refetch()
}
