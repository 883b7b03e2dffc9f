/** Whether the auth client keeps its session under this key of the local storage. */
export const isSessionKey = (key: string): boolean => key.startsWith('sb-') && key.includes('-auth-token')

/**
 * The auth client keeps its session under `sb-<host>-auth-token` and gives it up only when the server has
 * answered. Somebody who signs out without a connection is signed out all the same.
 */
export function forgetStoredSession(storage: Storage = window.localStorage): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index))
  for (const key of keys) {
    if (key !== null && isSessionKey(key)) storage.removeItem(key)
  }
}
