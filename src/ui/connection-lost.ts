import { useSyncExternalStore } from 'react'

/** Whether the backend could not be reached when it was last asked. */
let isLost = false
const listeners = new Set<() => void>()

/** Returns whether that is news. */
export function setConnectionLost(lost: boolean): boolean {
  if (lost === isLost) return false
  isLost = lost
  for (const listener of listeners) listener()
  return true
}

export function useIsConnectionLost(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isLost,
    () => isLost,
  )
}
