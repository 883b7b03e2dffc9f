import { useSyncExternalStore } from 'react'

const KEY = 'konsol-timer'
const CHANGED = 'konsol-timer'

/** Notes whose timer runs, so that a page loads and asks for one only where there is one. */
export function noteTimer(userId: string | null): void {
  if (window.localStorage.getItem(KEY) === userId) return
  if (userId === null) window.localStorage.removeItem(KEY)
  else window.localStorage.setItem(KEY, userId)
  window.dispatchEvent(new Event(CHANGED))
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener(CHANGED, onChange)
  window.addEventListener('storage', onChange)
  return () => {
    window.removeEventListener(CHANGED, onChange)
    window.removeEventListener('storage', onChange)
  }
}

/** Whether the timer of this person ran when this browser last knew. */
export function useMayHaveTimer(userId: string | undefined): boolean {
  return useSyncExternalStore(
    subscribe,
    () => userId !== undefined && window.localStorage.getItem(KEY) === userId,
  )
}
