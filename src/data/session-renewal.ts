/**
 * What to do with a request that was answered 401: gives the access token to repeat it with, or null when there is
 * none and the refusal stands. `refused` is the token the request carried.
 */
type RenewSession = (refused: string | null) => Promise<string | null>

let renewSession: RenewSession | null = null

/** The session layer registers itself here; the data layer may not import it. */
export function setSessionRenewal(renew: RenewSession | null): void {
  renewSession = renew
}

function tokenOf(headers: Headers): string | null {
  return /^Bearer (.+)$/.exec(headers.get('Authorization') ?? '')?.[1] ?? null
}

/**
 * Wraps a `fetch`: a request that the ended session made fail waits until its user has signed in again, and is then
 * repeated. Safe for writes too, because a request that was answered 401 was not executed.
 */
export function renewingFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init)
    const url = input instanceof Request ? input.url : String(input)
    if (response.status !== 401 || !renewSession || !url.includes('/rest/v1/')) return response
    const headers = new Headers(init?.headers)
    const token = await renewSession(tokenOf(headers))
    init?.signal?.throwIfAborted()
    if (token === null) return response
    headers.set('Authorization', `Bearer ${token}`)
    return send(input, { ...init, headers })
  }
}
