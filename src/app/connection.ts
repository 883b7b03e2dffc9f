import { useSyncExternalStore } from 'react'

/** Whether the last request that was answered or lost was lost. One fact a page, so one variable. */
let isLost = false
const listeners = new Set<() => void>()

export function reportConnection(lost: boolean): void {
  if (lost === isLost) return
  isLost = lost
  for (const listener of listeners) listener()
}

export function useIsConnectionLost(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isLost,
  )
}
