import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { logSecurity } from '../security-log'
import { within } from '../within'
import { addressOf, type Backend, type Env } from './context'
import { canonicalPath } from './path'
import { RateLimit } from './rate-limit'
import { bearer, readToken } from './sessions'

const FLUSH_MS = 30_000
const MAX_PENDING = 500
/** A busy database does not hold up the end of the server. */
const CLOSE_MS = 300

interface Refusal {
  status: number
  userId: string | null
  address: string
  subject: string
  count: number
}

/** `/rest/v1/devices`, never the query, which may hold anything. */
const subjectOf = (path: string): string => path.split('/').slice(0, 5).join('/').slice(0, 100)

export interface RefusalLog {
  middleware: MiddlewareHandler<Env>
  /** Writes what was counted so far. */
  flush: () => Promise<void>
  close: () => Promise<void>
}

/**
 * Counts requests answered 401, 403 and 429, and writes one line for each kind, caller and path every half minute: a
 * flood of refused requests costs a few rows.
 */
export function refusalLog(backend: Backend): RefusalLog {
  const pending = new Map<string, Refusal>()

  async function count(c: Context<Env>): Promise<void> {
    const { status } = c.res
    const claims = await readToken(bearer(c.req.raw.headers) ?? '', backend.keys.jwtSecret)
    const address = addressOf(c, backend)
    const known = { status, userId: claims?.userId ?? null, address, subject: subjectOf(c.req.path) }
    const key = JSON.stringify(known)
    const refusal = pending.get(key)
    if (refusal) refusal.count++
    else if (pending.size < MAX_PENDING) pending.set(key, { ...known, count: 1 })
  }

  async function flush(): Promise<void> {
    const refusals = [...pending.values()]
    pending.clear()
    const { query } = backend.core.database
    for (const { status, userId, address, subject, count } of refusals) {
      const [user] = userId
        ? await query<{ email: string }>('select email from auth.users where id = $1', [userId])
        : []
      await logSecurity(query, {
        event: status === 429 ? 'rate_limited' : 'request_denied',
        email: user?.email ?? null,
        subject,
        address,
        details: { status },
        occurrences: count,
      })
    }
  }

  const write = () =>
    flush().catch((error: unknown) =>
      backend.log(`The security log could not be written: ${(error as Error).message}`),
    )
  const timer = setInterval(() => void write(), FLUSH_MS)
  timer.unref()
  return {
    middleware: async (c, next) => {
      await next()
      if ([401, 403, 429].includes(c.res.status)) await count(c)
    },
    flush,
    close: async () => {
      clearInterval(timer)
      await within(CLOSE_MS, write())
    },
  }
}

/**
 * Reports of failed sign-ins, which anybody may send: few from one address. The console's own are lost without harm,
 * because the server has recorded the attempt itself.
 */
export function reportLimit(backend: Backend): Hono<Env> {
  const reports = new RateLimit(30, 300, backend.rateLimitFactor)
  const app = new Hono<Env>()
  app.use('/rest/v1/*', async (c, next) => {
    const path = canonicalPath(new URL(c.req.url).pathname)
    if (c.req.method !== 'POST' || path !== '/rest/v1/failed_login_attempts') return next()
    const address = addressOf(c, backend)
    if (reports.take(address)) return next()
    return c.json(
      { code: 'PT429', message: 'too many failed sign-ins were reported', details: null, hint: null },
      429,
      { 'retry-after': String(reports.retryAfter(address)), 'access-control-allow-origin': '*' },
    )
  })
  return app
}
