import { type Context, Hono } from 'hono'
import { onBehalfOf } from '../database/queue'
import { UploadRefused } from '../packages'
import { BodyBudget, readBody } from './body'
import { type Backend, type Env, jsonResponse, leaseUntilAnswered } from './context'
import { canonicalPath } from './path'
import { TokenBucket } from './rate-limit'
import { bearer, type Claims, isSessionAlive, readToken } from './sessions'

const MEGABYTE = 1024 * 1024
/** The console sends 2 MB at a time: a proxy's usual limit, and a slow line within the time a request has. */
const PIECE_LIMIT = 4 * MEGABYTE

const PATH = /^\/packages\/v1\/([0-9a-f-]{36})$/
const METHODS = 'PUT, DELETE, OPTIONS'

const refusal = (status: number, message: string, hint: string | null = null, headers = {}) =>
  jsonResponse({ code: `PT${status}`, message, details: null, hint }, status, {
    'access-control-allow-origin': '*',
    'cache-control': 'no-store',
    ...headers,
  })

/**
 * The bytes of an upload that `begin_package_upload()` opened, in pieces, from the account that opened it:
 * `PUT /packages/v1/<id>?offset=<bytes so far>`, and DELETE to give it up.
 */
export function packageRoutes(backend: Backend): Hono<Env> {
  const byAccount = new TokenBucket(300, 40, backend.rateLimitFactor)
  const bodies = new BodyBudget(64 * MEGABYTE, 16 * MEGABYTE)

  async function callerOf(c: Context<Env>): Promise<Claims | Response> {
    if (c.req.header('apikey') !== backend.keys.publishableKey) return refusal(401, 'Invalid API key')
    const claims = await readToken(bearer(c.req.raw.headers) ?? '', backend.keys.jwtSecret)
    if (!claims) return refusal(401, 'The access token is invalid or has expired')
    const wait = byAccount.take(claims.userId)
    if (wait > 0) return refusal(429, 'Too many requests', null, { 'retry-after': String(wait) })
    const isAlive = await onBehalfOf(claims.userId, () =>
      backend.core.database.exclusive(() => isSessionAlive(backend, claims)),
    )
    return isAlive ? claims : refusal(401, 'The session has ended')
  }

  async function answer(c: Context<Env>, id: string): Promise<Response> {
    const caller = await callerOf(c)
    if (caller instanceof Response) return caller
    if (c.req.method === 'DELETE') {
      await backend.packages.cancel(id, caller.userId)
      await backend.core.database.query('select app.give_up_package_upload($1, $2)', [id, caller.userId])
      return c.body(null, 204, { 'access-control-allow-origin': '*' })
    }
    const offset = Number(c.req.query('offset') ?? Number.NaN)
    if (!Number.isSafeInteger(offset) || offset < 0) return refusal(400, 'offset must be a number of bytes')
    const bytes = await readBody(c.req.raw, PIECE_LIMIT, leaseUntilAnswered(c, bodies, caller.userId))
    if (!bytes?.length) return refusal(400, 'The body is empty')
    const { query } = backend.core.database
    const done = await backend.packages.append(query, id, caller.userId, offset, bytes)
    return jsonResponse(done, 200, { 'access-control-allow-origin': '*', 'cache-control': 'no-store' })
  }

  const app = new Hono<Env>()
  app.all('/packages/v1/*', async (c) => {
    const [, id] = PATH.exec(canonicalPath(new URL(c.req.url).pathname) ?? '') ?? []
    if (id === undefined) return refusal(404, 'Not found')
    if (c.req.method === 'OPTIONS')
      return c.body(null, 204, {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': 'apikey, authorization, content-type',
        'access-control-max-age': '86400',
      })
    if (c.req.method !== 'PUT' && c.req.method !== 'DELETE')
      return refusal(405, 'Unsupported HTTP method', null, { allow: METHODS })
    try {
      return await answer(c, id)
    } catch (error) {
      if (!(error instanceof UploadRefused)) throw error
      return refusal(error.status, error.message, error.hint)
    }
  })
  return app
}
