/** The names under which auth servers and proxies give the reason of a failure. */
const MESSAGE_NAMES = ['msg', 'message', 'error_description', 'error'] as const

type Body = Record<string, unknown>

function bodyOf(text: string): Body | null {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Body) : null
  } catch {
    return null
  }
}

function messageOf(body: Body | null): string {
  for (const name of MESSAGE_NAMES) {
    const value = body?.[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return ''
}

/**
 * The auth client turns an answer without a message into `{}`, and reads no body at all of a 5xx: there it takes
 * `msg` of the response itself.
 */
function failure(status: number, headers: Headers, body: Body | null): Response {
  const msg = messageOf(body)
  return Object.assign(Response.json({ ...body, msg }, { status, headers }), { msg })
}

/**
 * Wraps a `fetch`: failures of the auth server carry its own message or an empty one, and a session's lifetime counts
 * from the arrival of the answer. The client would compare the server's `expires_at` with the clock of this machine:
 * an hour ahead, every new token would be out of date; behind, it would be renewed too late.
 */
export function authFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init)
    const { pathname } = new URL(input instanceof Request ? input.url : String(input), 'http://localhost')
    const isAnswer = response.status >= 400 || pathname.endsWith('/token') || pathname.endsWith('/verify')
    if (!pathname.includes('/auth/v1/') || !isAnswer) return response
    const { status } = response
    const headers = new Headers(response.headers)
    // The body is written again below, without its encoding.
    headers.delete('content-length')
    headers.delete('content-encoding')
    const body = bodyOf(await response.text())
    if (status >= 400) return failure(status, headers, body)
    // An answer that cannot be read is a failure of the server, not of the connection.
    if (!body) return failure(500, headers, null)
    const { expires_at: _, ...session } = body
    return Response.json(typeof session.expires_in === 'number' ? session : body, { status, headers })
  }
}
