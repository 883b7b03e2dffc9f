import { Hono } from 'hono'
import { isTooDeep } from './body'
import { ask, type Backend, bodyOf, type Env, forwarded } from './context'
import { canonicalPath } from './path'
import { bearer, isSessionAlive, readToken } from './sessions'

/** Imports send thousands of rows in one request. */
const BODY_LIMIT = 16 * 1024 * 1024
const ROUTE = /^\/rest\/v1\/((rpc\/)?[A-Za-z_][A-Za-z0-9_]*)?$/

const unauthorised = (message: string) =>
  Response.json(
    { code: 'PGRST301', message, details: null, hint: null },
    { status: 401, headers: { 'www-authenticate': 'Bearer', 'access-control-allow-origin': '*' } },
  )

/** Conditions in a group, embedded tables, and the JSON arguments of a function called by GET. */
function isNested(name: string, value: string): boolean {
  return /^(select|(.+\.)?(and|or))$/.test(name) || /^\s*[[{]/.test(value)
}

function isQueryTooDeep(query: URLSearchParams): boolean {
  return [...query].some(
    ([name, value]) => isNested(name, value) && isTooDeep(new TextEncoder().encode(value)),
  )
}

/** `/rest/v1`, answered by lite's PostgREST once the session behind the token is known to stand. */
export function restRoutes(backend: Backend): Hono<Env> {
  const app = new Hono<Env>()
  app.all('/rest/v1/*', async (c) => {
    const path = canonicalPath(new URL(c.req.url).pathname)
    if (!path || !ROUTE.test(path))
      return c.json({ code: 'PGRST125', message: 'Invalid path specified in request URL' }, 404)
    const body = await bodyOf(c, BODY_LIMIT)
    if ((body && isTooDeep(body)) || isQueryTooDeep(new URL(c.req.url).searchParams))
      return c.json(
        { code: 'PGRST102', message: 'The request is nested too deep', details: null, hint: null },
        400,
      )
    const request = forwarded(c, path, body, (headers) => {
      // lite acknowledges tx=rollback, and commits.
      const prefer = headers.get('prefer')
      if (prefer)
        headers.set(
          'prefer',
          prefer
            .split(',')
            .filter((part) => !/^\s*tx=/.test(part))
            .join(','),
        )
    })
    const token = bearer(request.headers)
    if (!token || token.startsWith('sb_') || c.req.method === 'OPTIONS') return ask(backend, request)
    const claims = await readToken(token, backend.keys.jwtSecret)
    // lite names what is wrong with the token itself.
    if (!claims) return ask(backend, request, async () => undefined)
    return ask(backend, request, async () =>
      (await isSessionAlive(backend, claims)) ? undefined : unauthorised('The session has ended'),
    )
  })
  return app
}
