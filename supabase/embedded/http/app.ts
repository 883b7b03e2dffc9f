import { Hono } from 'hono'
import { authRoutes } from './auth'
import { BodyTooLarge } from './body'
import type { Backend, Env } from './context'
import { restRoutes } from './rest'

export function createHttpApp(backend: Backend): Hono<Env> {
  const app = new Hono<Env>()
  app.onError((error, c) => {
    if (error instanceof BodyTooLarge)
      return c.json({ code: 'PGRST102', message: 'The request body is too large' }, 413)
    backend.log(`${c.req.method} ${new URL(c.req.url).pathname}: ${error.message}`)
    return c.json({ code: 'SUP', message: 'Internal server error' }, 500)
  })
  app.get('/healthz', async (c) => {
    await backend.core.database.query('select 1')
    return c.json({ ok: true })
  })
  app.get('/config.json', (c) =>
    c.json({ url: '', key: backend.keys.publishableKey }, 200, { 'cache-control': 'no-store' }),
  )
  app.route('/', authRoutes(backend))
  app.route('/', restRoutes(backend))
  return app
}
