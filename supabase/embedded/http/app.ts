import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { HTTPException } from 'hono/http-exception'
import type { Mailer } from '../mail/mailer'
import { agentRoutes, downloadRoutes } from './agent'
import { authRoutes } from './auth'
import { BodyTooLarge } from './body'
import type { Backend, Env } from './context'
import { securityHeaders } from './headers'
import { mailboxRoutes } from './mailbox'
import { restRoutes } from './rest'
import { staticRoutes } from './static'

export interface HttpOptions {
  mailer: Mailer
  /** The built console; null serves none. */
  dist: string | null
  agentDir: string
  /** The operator named the address, so it is not taken from requests. */
  siteUrlNamed: boolean
}

/** Paths that never belong to the console. */
export const isApiPath = (path: string): boolean =>
  /^\/(auth\/v1|rest\/v1|realtime\/v1|agent|_system|storage\/v1|functions\/v1)(\/|$)/.test(path) ||
  /^\/(healthz|config\.json|mailbox|mailbox\.json)$/.test(path)

export function createHttpApp(backend: Backend, options: HttpOptions): Hono<Env> {
  const app = new Hono<Env>()
  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse()
    if (error instanceof BodyTooLarge)
      // The rest of the body is not read, so nobody may send another request behind it.
      return c.json({ code: 'PGRST102', message: 'The request body is too large' }, 413, {
        connection: 'close',
      })
    backend.log(`${c.req.method} ${c.req.path}: ${error.stack ?? error.message}`)
    return c.json({ code: 'SUP', message: 'Internal server error' }, 500)
  })
  app.notFound((c) => c.json({ code: 404, message: 'Not found' }, 404))
  app.use(securityHeaders(() => backend.siteUrl.startsWith('https://')))
  // Whether this process answers, whatever the database does: it is asked nothing, and its last known state told.
  app.get('/healthz', (c) =>
    c.json({ ok: true, database: backend.core.database.state() }, 200, { 'cache-control': 'no-store' }),
  )
  app.use(async (c, next) => {
    // Pages need no database, and must not wait for one that is replaced.
    if (isApiPath(c.req.path)) await backend.ready
    await next()
  })
  app.get('/config.json', (c) =>
    c.json({ url: '', key: backend.keys.publishableKey }, 200, { 'cache-control': 'no-store' }),
  )
  app.route('/', mailboxRoutes(options.mailer))
  app.route('/', downloadRoutes(backend, options.agentDir, options.siteUrlNamed))
  app.use('/rest/v1/*', compress({ threshold: 2048 }))
  app.route('/', agentRoutes(backend))
  app.route('/', authRoutes(backend))
  app.route('/', restRoutes(backend))
  if (options.dist !== null) {
    const console = staticRoutes(backend, options.dist)
    app.get('*', (c, next) => (isApiPath(c.req.path) ? next() : console.fetch(c.req.raw, c.env)))
  }
  return app
}
