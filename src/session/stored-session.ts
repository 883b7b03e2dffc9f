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

/** The account that signed out on purpose. Other tabs read it: the auth client tells them only that a session ended. */
const SIGNED_OUT_KEY = 'konsol.signed-out'

export function markSignedOut(accountId: string | null): void {
  try {
    if (accountId === null) window.localStorage.removeItem(SIGNED_OUT_KEY)
    else {
      window.localStorage.setItem(SIGNED_OUT_KEY, accountId)
      forgetDrafts()
    }
  } catch {
    // No other tab shares the session when there is no storage.
  }
}

export function hasSignedOut(accountId: string): boolean {
  try {
    return window.localStorage.getItem(SIGNED_OUT_KEY) === accountId
  } catch {
    return false
  }
}

/** Where this browser keeps texts that were not sent yet; the rest of a key names account, record and kind. */
export const DRAFT_PREFIX = 'konsol.draft:'

/** Drafts are personal: whoever signs in next on this browser finds none. */
function forgetDrafts(storage: Storage = window.localStorage): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index))
  for (const key of keys) if (key?.startsWith(DRAFT_PREFIX)) storage.removeItem(key)
}
