import { BusyError, OfflineError } from '@/data/errors'
import type { Definition } from '@/resource/definition/definition.generated'

/** Presence and other figures that no live message announces are never older than this. */
export const REFRESH_MS = 30_000
/** How often a screen that lost the backend looks whether it is back. */
const RECONNECT_MS = 5000

interface Asked {
  state: { status: string; error: unknown }
}

/** Soon after a failure that passes, otherwise not by itself: what changes is told by live messages. */
export function reconnectInterval({ state }: Asked): number | false {
  const { status, error } = state
  return status === 'error' && (error instanceof OfflineError || error instanceof BusyError)
    ? RECONNECT_MS
    : false
}

/** When a record is read again by itself, in its place: soon after a failure that passes, otherwise now and then. */
export function refreshInterval(definition: Definition) {
  return (query: Asked): number | false =>
    reconnectInterval(query) || (definition.live === false ? false : REFRESH_MS)
}

/** Whether rows hold what machines write without a word: presence, inventories. What people write is announced. */
export function hasFigures(definition: Definition): boolean {
  if (definition.live === false) return false
  return definition.form === false || Object.values(definition.fields).some((field) => field.from)
}
