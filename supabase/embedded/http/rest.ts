import { type Context, Hono } from 'hono'
import type { RestRequest } from '../database/api-thread'
import type { Database } from '../database/database'
import { type DatabaseError, isDatabaseError, isUnavailable, statusOf } from '../database/errors.mjs'
import { onBehalfOf } from '../database/queue'
import { BodyBudget, readBody } from './body'
import {
  type Backend,
  bodyOf,
  type Env,
  inTurn,
  jsonResponse,
  leaseUntilAnswered,
  whenDelivered,
} from './context'
import { hasManyLists, multiplyingEmbed, readSelection } from './embeds'
import { readableQuery } from './filter-values'
import { hasManyOutputs } from './outputs'
import { canonicalPath } from './path'
import { queryRefusal } from './query-bounds'
import { TokenBucket } from './rate-limit'
import { bearer, type Claims, isSessionAlive, normalizeAuthorization, readToken } from './sessions'

const MEGABYTE = 1024 * 1024
/** Imports send thousands of rows in one request. */
const BODY_LIMIT = 16 * MEGABYTE
const ANONYMOUS_BODY_LIMIT = 16 * 1024
/** A body beyond this is not read before its session is known to be alive. */
const UNCHECKED_BODY = 64 * 1024

/**
 * Requests of one account on their way at once, until the answer is read: one may have megabytes. On the embedded
 * database one of them runs, in the account's turn.
 */
const MAX_PENDING = 60
/** How long an account gets one request at a time after one of its statements exceeded its budget. */
const PENALTY_MS = 10_000

const ROUTE = /^\/rest\/v1\/((rpc\/)?[A-Za-z_][A-Za-z0-9_]*)?$/
const TABLE_METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']
const FUNCTION_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']
/** All that a visitor without an account may ask of the API; agents have their own route. */
const ANONYMOUS_CALLS = new Set(['POST /rest/v1/failed_login_attempts'])

const refusal = (status: number, code: string, message: string, headers: Record<string, string> = {}) =>
  jsonResponse({ code, message, details: null, hint: null }, status, {
    'access-control-allow-origin': '*',
    'cache-control': 'no-store',
    ...headers,
  })

const unauthorized = (message: string, code = 'PGRST301') =>
  refusal(401, code, message, { 'www-authenticate': 'Bearer' })

const limited = (seconds: number) =>
  refusal(429, 'PT429', 'Too many requests', {
    'retry-after': String(seconds),
    'access-control-expose-headers': 'Retry-After',
  })

/** For a console that is served from another origin. */
const preflight = (c: Context<Env>, methods: readonly string[]) =>
  c.body(null, 204, {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers':
      c.req.header('access-control-request-headers') ?? 'apikey, authorization, content-type, prefer',
    'access-control-max-age': '86400',
  })

/** Hooks that run in the account's turn, before and after the answer. */
interface Turn {
  first: () => Response | undefined
  /** Told the code of the error that was answered. */
  last: (code: string | null) => void
}

/** The caller: a signed-in user, an anonymous client, or a script with the secret key. */
type Caller = { kind: 'user'; claims: Claims } | { kind: 'anonymous' } | { kind: 'service' }

/** Preferences that lite handles differently from PostgREST's documentation are not passed on. */
function preferences(header: string): string {
  return header
    .split(/[,;]/)
    .map((part) => part.trim())
    .flatMap((part) => {
      // lite acknowledges tx=rollback, and commits.
      if (/^tx\s*=/i.test(part)) return []
      // The planner estimates over all companies' rows.
      return [/^count\s*=\s*(planned|estimated)/i.test(part) ? 'count=exact' : part]
    })
    .join(',')
}

/** As plain values under the canonical path: what moves to the thread that answers. */
function restRequest(
  { req }: Context<Env>,
  { path, search }: { path: string; search: string },
  body: Uint8Array<ArrayBuffer> | null,
  caller: Caller,
): RestRequest {
  const url = new URL(req.url)
  url.pathname = path
  url.search = search
  const headers = new Headers(req.raw.headers)
  headers.delete('content-length')
  headers.delete('transfer-encoding')
  const prefer = headers.get('prefer')
  if (prefer) headers.set('prefer', preferences(prefer))
  if (caller.kind === 'user') normalizeAuthorization(headers)
  else headers.delete('authorization')
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  return { method: req.method, url: url.href, headers: [...headers], body: isRead ? null : body }
}

/** PostgREST's answer when the thread was ended by a statement's budget, an error, or the end of the server. */
function endedResponse({ code, message }: DatabaseError): Response {
  const status = statusOf(code) ?? 500
  return refusal(status, code, message, status === 503 ? { 'retry-after': '2' } : {})
}

async function answerOf(database: Database, request: RestRequest): Promise<[Response, code: string | null]> {
  try {
    const { status, headers, body, code } = await database.api.rest(request)
    return [new Response(body, { status, headers }), code]
  } catch (error) {
    if (!isDatabaseError(error) || isUnavailable(error)) throw error
    return [endedResponse(error), error.code]
  }
}

/** Embeds that would make the answer many times as large as its rows; asked in the queue, by lite's own catalog. */
async function embedRefusal(backend: Backend, search: string, path: string): Promise<Response | undefined> {
  const { embeds, depth, embedCount } = readSelection(new URLSearchParams(search).get('select') ?? '')
  if (depth < 2 && embedCount < 2) return undefined
  const keys = await backend.core.database.api.foreignKeys()
  const table = path.replace(/^\/rest\/v1\/(rpc\/search_)?/, '')
  if (hasManyLists(embeds, table, keys))
    return refusal(400, 'PGRST102', 'The request embeds too many lists, or the same resource too often')
  const name = multiplyingEmbed(embeds, keys)
  return name === null
    ? undefined
    : refusal(400, 'PGRST102', `'${name}' cannot be embedded in another embedded resource`)
}

/**
 * `/rest/v1`, answered by lite's PostgREST in the thread of the database. Checks are ordered by cost, so that
 * an unknown client costs little: path and method, key, rate limit, token; then the shape of the query, the
 * body, and in the queue the session.
 */
export function restRoutes(backend: Backend): Hono<Env> {
  const factor = backend.rateLimitFactor
  // An export of 100,000 rows is 200 requests; a wall board asks a few times a second.
  const byAccount = new TokenBucket(1_000, 20, factor)
  // A hundred people behind one address.
  const byAddress = new TokenBucket(10_000, 200, factor)
  const pending = new Map<string, number>()
  /** The time at which an account's statement ran out of its budget. */
  const timeouts = new Map<string, number>()
  const bodies = new BodyBudget(128 * MEGABYTE, 48 * MEGABYTE)

  async function callerOf(c: Context<Env>): Promise<Caller | Response> {
    const { publishableKey, secretKey, jwtSecret } = backend.keys
    const key = c.req.header('apikey') ?? c.req.query('apikey')
    if (!key) return unauthorized('No API key found in request')
    if (key !== publishableKey && key !== secretKey) return unauthorized('Invalid API key')
    const wait = byAddress.take(c.var.address)
    if (wait > 0) return limited(wait)
    const token = bearer(c.req.raw.headers)
    const given = c.req.header('authorization')
    // A token that we cannot read must not turn a user into a visitor. An operator may have chosen any text as a key.
    if (token === null && given !== undefined && given !== `Bearer ${key}`)
      return unauthorized('The access token is invalid or has expired')
    if (token && token !== key && !token.startsWith('sb_')) {
      const claims = await readToken(token, jwtSecret)
      return claims ? { kind: 'user', claims } : unauthorized('The access token is invalid or has expired')
    }
    return { kind: key === secretKey ? 'service' : 'anonymous' }
  }

  const sessionRefusal = async (caller: Caller) =>
    caller.kind !== 'user' || (await isSessionAlive(backend, caller.claims))
      ? undefined
      : unauthorized('The session has ended')

  async function read(c: Context<Env>, caller: Caller): Promise<Uint8Array<ArrayBuffer> | Response | null> {
    if (caller.kind === 'anonymous') return bodyOf(c, ANONYMOUS_BODY_LIMIT)
    // A body without a declared length may be of any length.
    const length = Number(c.req.header('content-length') ?? Number.NaN)
    if (c.req.raw.body && !(length <= UNCHECKED_BODY)) {
      const ended = await backend.core.database.exclusive(() => sessionRefusal(caller))
      if (ended) return ended
    }
    const sender = caller.kind === 'user' ? caller.claims.userId : 'service'
    return readBody(c.req.raw, BODY_LIMIT, leaseUntilAnswered(c, bodies, sender))
  }

  async function answer(c: Context<Env>, path: string): Promise<Response> {
    const caller = await callerOf(c)
    if (caller instanceof Response) return caller
    if (caller.kind === 'anonymous' && !ANONYMOUS_CALLS.has(`${c.req.method} ${path}`))
      return unauthorized('Sign in to use this resource', '42501')
    // The description of the whole schema is for the operator of the server.
    if (path === '/rest/v1/' && caller.kind !== 'service')
      return refusal(404, 'PGRST125', 'Invalid path specified in request URL')
    if (caller.kind !== 'user') return answerCaller(c, path, caller)
    const { userId } = caller.claims
    const wait = byAccount.take(userId)
    if (wait > 0) return limited(wait)
    const others = pending.get(userId) ?? 0
    if (others >= Math.max(1, MAX_PENDING * factor)) return limited(1)
    // On the embedded database such a statement restarts the engine, for everybody.
    const isShared = backend.core.database.kind === 'pglite'
    const isPenalized = () => Date.now() - (timeouts.get(userId) ?? 0) < PENALTY_MS
    if (others > 0 && isPenalized()) return limited(PENALTY_MS / 1000)
    const wasPenalized = isPenalized()
    pending.set(userId, others + 1)
    // Requests that queued before the penalty began are refused when their turn falls into the penalty.
    const turn: Turn = {
      first: () => (!wasPenalized && isPenalized() ? limited(PENALTY_MS / 1000) : undefined),
      last: (code) => {
        if (!isShared || code !== '57014') return
        for (const [other, at] of timeouts) if (Date.now() - at >= PENALTY_MS) timeouts.delete(other)
        timeouts.set(userId, Date.now())
      },
    }
    const answer = onBehalfOf(userId, () => answerCaller(c, path, caller, turn))
    const delivered = new Promise<void>((done) => whenDelivered(c, done))
    void Promise.allSettled([answer, delivered]).then(() => {
      const left = (pending.get(userId) ?? 1) - 1
      if (left > 0) pending.set(userId, left)
      else pending.delete(userId)
    })
    return answer
  }

  async function answerCaller(c: Context<Env>, path: string, caller: Caller, turn?: Turn): Promise<Response> {
    const { search } = new URL(c.req.url)
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    const excess = queryRefusal(search, isRead && path.startsWith('/rest/v1/rpc/'))
    if (excess) return refusal(400, 'PGRST102', excess)
    const readable = readableQuery(search)
    if (readable === null)
      return refusal(
        400,
        'PGRST100',
        'A quoted value inside or=() holds a sign that cannot be compared there: send the condition as a parameter of its own',
      )
    const table = path.replace(/^\/rest\/v1\/(rpc\/search_)?/, '')
    if (isRead && hasManyOutputs(new URLSearchParams(search), table))
      return refusal(400, 'PGRST102', 'The request reads too many outputs: select one run, or at most 20')
    // A query plan reveals the planner's row estimate, which includes other companies.
    if (/vnd\.pgrst\.plan/i.test(c.req.header('accept') ?? ''))
      return refusal(406, 'PGRST107', 'Query plans are not available')
    const body = await read(c, caller)
    if (body instanceof Response) return body
    if (body?.length && !/^(application\/json\b|$)/i.test(c.req.header('content-type') ?? ''))
      return refusal(415, 'PGRST102', 'The request body must be application/json')
    const request = restRequest(c, { path, search: readable }, body, caller)
    return inTurn(
      backend,
      c.req.raw.signal,
      async () =>
        turn?.first() ?? (await sessionRefusal(caller)) ?? (await embedRefusal(backend, search, path)),
      async ({ database }) => {
        const [response, code] = await answerOf(database, request)
        turn?.last(code)
        return response
      },
    )
  }

  const app = new Hono<Env>()
  app.all('/rest/v1/*', async (c) => {
    const path = canonicalPath(new URL(c.req.url).pathname)
    if (!path || !ROUTE.test(path)) return refusal(404, 'PGRST125', 'Invalid path specified in request URL')
    const methods = path.startsWith('/rest/v1/rpc/') ? FUNCTION_METHODS : TABLE_METHODS
    if (!methods.includes(c.req.method))
      return refusal(405, 'PGRST117', 'Unsupported HTTP method', { allow: methods.join(', ') })
    return c.req.method === 'OPTIONS' ? preflight(c, methods) : answer(c, path)
  })
  return app
}
