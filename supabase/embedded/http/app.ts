import { Hono, type MiddlewareHandler } from 'hono'
import { compress } from 'hono/compress'
import { HTTPException } from 'hono/http-exception'
import type { AgentReleases } from '../agent-release'
import { isUnavailable } from '../database/errors.mjs'
import { onBehalfOf } from '../database/queue'
import type { Inbound } from '../mail/inbound'
import type { Mailer } from '../mail/mailer'
import { isForwarded } from './address'
import { agentRoutes } from './agent'
import { downloadRoutes } from './agent-downloads'
import { authRoutes } from './auth'
import { BodiesTooMany, BodyBudget, BodyTooLarge, BodyUnfinished } from './body'
import { addressOf, type Backend, type Env } from './context'
import { definitionRoutes } from './definitions'
import { securityHeaders } from './headers'
import { mailInboundRoutes } from './mail-inbound'
import { mailboxRoutes } from './mailbox'
import { type RefusalLog, reportLimit } from './refusals'
import { restRoutes } from './rest'
import { staticRoutes } from './static'
import { storageRoutes } from './storage'

export interface HttpOptions {
  mailer: Mailer
  refusals: RefusalLog
  /** The built console; null serves none. */
  dist: string | null
  releases: AgentReleases
  /** The key of the mailbox; null if there is no mailbox. */
  mailboxKey: string | null
  /** Where raw mails arrive with this secret; null closes the route. */
  inbound: { mails: Inbound; secret: string } | null
  /** The operator named the address, so it is not taken from requests. */
  siteUrlNamed: boolean
}

/** Paths that never belong to the console. */
export const isApiPath = (path: string): boolean =>
  /^\/(auth\/v1|rest\/v1|realtime\/v1|agent|_system|storage\/v1|functions\/v1|mail\/v1)(\/|$)/.test(path) ||
  /^\/(healthz|config\.json|mailbox|mailbox\.json)\/?$/.test(path)

/** No page of a resource has a dot in its address. */
export const isDefinitionPath = (path: string): boolean => /^\/definitions(\.[\w-]+)?\.json\/?$/.test(path)

const MEGABYTE = 1024 * 1024

/** The rest of such a body is not read, so nobody may send another request behind it. */
function bodyRefusal(error: Error): Response | null {
  const refusal = (status: number, message: string, headers: Record<string, string> = {}) =>
    Response.json(
      { code: status === 413 ? 'PGRST102' : `PT${status}`, message, details: null, hint: null },
      { status, headers: { connection: 'close', 'access-control-allow-origin': '*', ...headers } },
    )
  if (error instanceof BodyTooLarge) return refusal(413, 'The request body is too large')
  if (error instanceof BodyUnfinished) return refusal(408, 'The request body did not arrive in time')
  if (error instanceof BodiesTooMany)
    return refusal(429, 'Too many requests', {
      'retry-after': '10',
      'access-control-expose-headers': 'Retry-After',
    })
  return null
}

/** Says once that requests come through a proxy that nobody told us of: all its visitors then share one limit. */
function proxyWarning(backend: Backend): MiddlewareHandler<Env> {
  let isSaid = backend.trustedProxies > 0
  return async (c, next) => {
    if (!isSaid && isForwarded(c.env.incoming)) {
      isSaid = true
      backend.log(
        'A request came through a proxy (X-Forwarded-For or Forwarded), and TRUSTED_PROXIES is 0: rate limits ' +
          'count all visitors of the proxy as one. Set TRUSTED_PROXIES to the number of your proxies: docs/deploy.md.',
      )
    }
    await next()
  }
}

/**
 * Lets one request of the API begin in each round of the event loop: `/healthz` and pages come in between, however many
 * arrive at once.
 */
function oneEachRound(): MiddlewareHandler<Env> {
  const waiting: (() => void)[] = []
  let isTaken = false
  const letNextIn = () => {
    const begin = waiting.shift()
    isTaken = begin !== undefined
    if (!begin) return
    setImmediate(letNextIn)
    begin()
  }
  return async (c, next) => {
    if (!isApiPath(c.req.path)) return next()
    if (isTaken) await new Promise<void>((begin) => waiting.push(begin))
    else {
      isTaken = true
      setImmediate(letNextIn)
    }
    await next()
  }
}

export function createHttpApp(backend: Backend, options: HttpOptions): Hono<Env> {
  const app = new Hono<Env>()
  const bodies = new BodyBudget(64 * MEGABYTE, 24 * MEGABYTE)
  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse()
    const refusal = bodyRefusal(error)
    if (refusal) return refusal
    if (isUnavailable(error)) {
      backend.log(`${c.req.method} ${c.req.path}: ${error.message}`)
      return c.json(
        { code: '57P03', message: 'The database is not available', details: null, hint: null },
        503,
        { 'retry-after': '2', 'access-control-allow-origin': '*', 'cache-control': 'no-store' },
      )
    }
    backend.log(`${c.req.method} ${c.req.path}: ${error.stack ?? error.message}`)
    return c.json({ code: 'SUP', message: 'Internal server error' }, 500)
  })
  app.notFound((c) => c.json({ code: 404, message: 'Not found' }, 404))
  app.use(securityHeaders(() => backend.siteUrl.startsWith('https://')))
  // Whether this process responds, regardless of the database: it reports the last known state without a
  // query.
  app.get('/healthz', (c) =>
    c.json({ ok: true, database: backend.core.database.state() }, 200, { 'cache-control': 'no-store' }),
  )
  app.use(oneEachRound())
  app.use(options.refusals.middleware)
  app.use(proxyWarning(backend))
  app.use(async (c, next) => {
    c.set('address', addressOf(c, backend))
    c.set('bodies', bodies)
    // Pages need no database and must not wait while it is replaced.
    if (isApiPath(c.req.path)) await backend.ready
    await onBehalfOf(c.var.address, next)
  })
  app.get('/config.json', (c) =>
    c.json({ url: '', key: backend.keys.publishableKey }, 200, { 'cache-control': 'no-store' }),
  )
  if (options.mailboxKey !== null) app.route('/', mailboxRoutes(options.mailer, options.mailboxKey))
  if (options.inbound)
    app.route('/', mailInboundRoutes(options.inbound.mails, options.inbound.secret, backend.rateLimitFactor))
  app.route('/', downloadRoutes(backend, options.releases, options.siteUrlNamed))
  app.use('/rest/v1/*', compress({ threshold: 2048 }))
  app.route('/', agentRoutes(backend))
  app.route('/', storageRoutes(backend))
  app.route('/', authRoutes(backend))
  app.route('/', reportLimit(backend))
  app.route('/', restRoutes(backend))
  if (backend.definitions) {
    const definitions = definitionRoutes(backend.definitions)
    app.get('*', (c, next) => (isDefinitionPath(c.req.path) ? definitions.fetch(c.req.raw, c.env) : next()))
  }
  if (options.dist !== null) {
    const console = staticRoutes(backend, options.dist)
    app.get('*', (c, next) => (isApiPath(c.req.path) ? next() : console.fetch(c.req.raw, c.env)))
  }
  return app
}
