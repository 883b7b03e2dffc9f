import type { Query } from '@tanstack/react-query'
import { BusyError, type DataError, OfflineError } from '@/data/errors'
import type { Definition } from '@/resource/definition/definition.generated'

/** Presence and other figures that no live message announces are never older than this. */
const REFRESH_MS = 30_000
/** How often a screen that lost the backend looks whether it is back. */
const RECONNECT_MS = 5000

type Interval<Data> = (query: Query<Data, DataError>) => number | false

/** When a screen reads again by itself: soon after a failure that passes, otherwise now and then. */
export function refreshInterval<Data>(definition: Definition): Interval<Data> {
  return ({ state }) => {
    const { status, error } = state
    if (status === 'error' && (error instanceof OfflineError || error instanceof BusyError))
      return RECONNECT_MS
    return definition.live === false ? false : REFRESH_MS
  }
}
