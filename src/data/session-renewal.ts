import { isSessionRefusal } from '@/data/errors'

/**
 * Decides what to do with a request that failed because its session ended: returns the access token to repeat
 * it with, or null when the refusal is final. `refused` is the token of the request.
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

/** A session can also end while its request runs: the database then refuses the write with 403. */
async function isSessionOver(response: Response): Promise<boolean> {
  if (response.status !== 403) return response.status === 401
  return response
    .clone()
    .json()
    .then(isSessionRefusal, () => false)
}

/**
 * Wraps a `fetch`: a request that the ended session made fail waits until its user has signed in again, and is then
 * repeated. Safe for writes too, because a request that was refused so was not executed, or was rolled back.
 */
export function renewingFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init)
    const url = input instanceof Request ? input.url : String(input)
    if (!renewSession || !url.includes('/rest/v1/') || !(await isSessionOver(response))) return response
    const headers = new Headers(init?.headers)
    const token = await renewSession(tokenOf(headers))
    init?.signal?.throwIfAborted()
    if (token === null) return response
    headers.set('Authorization', `Bearer ${token}`)
    return send(input, { ...init, headers })
  }
}
