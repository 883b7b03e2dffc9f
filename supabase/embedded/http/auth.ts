import { type Context, Hono } from 'hono'
import { clearSession, endOtherSessions, endRecoverySession, markRecovery } from './auth-sessions'
import { parseJson } from './body'
import { addressOf, ask, type Backend, bodyOf, type Env, forwarded } from './context'
import { canonicalPath } from './path'
import { RateLimit } from './rate-limit'
import { bearer, type Claims, isSessionAlive, readToken } from './sessions'

const BODY_LIMIT = 64 * 1024

/** What the console uses of GoTrue, and nothing more: accounts are made by administrators, without codes or links. */
const ROUTES: Record<string, readonly string[]> = {
  '/auth/v1/token': ['POST'],
  '/auth/v1/recover': ['POST'],
  '/auth/v1/verify': ['POST'],
  '/auth/v1/logout': ['POST'],
  '/auth/v1/user': ['GET', 'PUT'],
  '/auth/v1/signup': ['POST'],
  '/auth/v1/otp': ['POST'],
  '/auth/v1/magiclink': ['POST'],
  '/auth/v1/health': ['GET'],
  '/auth/v1/settings': ['GET'],
  '/auth/v1/.well-known/jwks.json': ['GET'],
}

const REFUSED: Record<string, [code: string, message: string]> = {
  '/auth/v1/signup': ['signup_disabled', 'Signups not allowed for this instance'],
  '/auth/v1/otp': ['otp_disabled', 'Signups not allowed for otp'],
  '/auth/v1/magiclink': ['otp_disabled', 'Signups not allowed for otp'],
}

/** As GoTrue writes errors; supabase-js reads the code from the body. */
export function authError(status: number, code: string, message: string): Response {
  return Response.json(
    { code: status, error_code: code, msg: message },
    { status, headers: { 'x-sb-error-code': code, 'access-control-allow-origin': '*' } },
  )
}

const limited = (code = 'over_request_rate_limit') =>
  authError(429, code, 'Too many attempts. Wait a few minutes, then try again.')

const emailOf = (body: Record<string, unknown> | null): string =>
  typeof body?.email === 'string' ? body.email.trim().toLowerCase().slice(0, 255) : ''

/** A wrong answer must not come sooner for an account that does not exist, whose password nobody compares. */
const LEAST_MS = 250

async function atLeast(started: number): Promise<void> {
  const left = LEAST_MS - (Date.now() - started)
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left))
}

export function authRoutes(backend: Backend): Hono<Env> {
  const factor = backend.rateLimitFactor
  const wrongByEmail = new RateLimit(20, 300, factor)
  const wrongByAddress = new RateLimit(60, 300, factor)
  const mailsByEmail = new RateLimit(5, 900, factor)
  const mailsByAddress = new RateLimit(30, 900, factor)
  const linksByAddress = new RateLimit(30, 300, factor)
  const allByAddress = new RateLimit(3000, 300, factor)

  /** lite signs banned and deleted accounts in as any other, and renews sessions that are over. */
  async function issued(response: Response, recovery: boolean): Promise<Response> {
    if (!response.ok) return response
    const session = parseJson(new Uint8Array(await response.clone().arrayBuffer()))
    const claims = await readToken(String(session?.access_token ?? ''), backend.keys.jwtSecret)
    if (!claims) return response
    const banned = await backend.core.database.exclusive(async () => {
      const { kysely } = backend.core.database.connection
      if (!(await isSessionAlive(backend, claims))) {
        await clearSession(kysely, claims.sessionId)
        return true
      }
      if (recovery) await markRecovery(kysely, claims.sessionId)
      return false
    })
    return banned ? authError(400, 'user_banned', 'User is banned') : response
  }

  async function signIn(c: Context<Env>, request: Request, body: Record<string, unknown> | null) {
    const byEmail = wrongByEmail.take(emailOf(body))
    if (!byEmail) return limited()
    const byAddress = wrongByAddress.take(addressOf(c, backend))
    if (!byAddress) {
      byEmail()
      return limited()
    }
    const started = Date.now()
    const response = await issued(await ask(backend, request), false)
    if (response.ok) {
      byEmail()
      byAddress()
    } else await atLeast(started)
    return response
  }

  async function recover(c: Context<Env>, request: Request, body: Record<string, unknown> | null) {
    if (!mailsByAddress.take(addressOf(c, backend))) return limited()
    // By e-mail whether or not it is one of ours, or the limit would tell.
    if (!mailsByEmail.take(emailOf(body))) return limited('over_email_send_rate_limit')
    const started = Date.now()
    const response = await ask(backend, request)
    await atLeast(started)
    return response
  }

  async function verify(c: Context<Env>, request: Request, body: Record<string, unknown> | null) {
    if (body?.type !== 'recovery')
      return authError(400, 'validation_failed', 'Invalid email verification type')
    const cancel = linksByAddress.take(addressOf(c, backend))
    if (!cancel) return limited()
    const response = await issued(await ask(backend, request), true)
    if (response.ok) cancel()
    return response
  }

  function asUser(request: Request, claims: Claims | null): Promise<Response> {
    return ask(backend, request, async () =>
      claims && !(await isSessionAlive(backend, claims))
        ? authError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
        : undefined,
    )
  }

  async function updateUser(request: Request, body: Record<string, unknown> | null) {
    // Addresses are changed by administrators, who answer for whom an account belongs to.
    if (body && ('email' in body || 'phone' in body))
      return authError(422, 'email_change_disabled', 'The e-mail address is changed by an administrator')
    // bcrypt reads no further: two long passwords would be one.
    if (typeof body?.password === 'string' && Buffer.byteLength(body.password) > 72)
      return authError(422, 'validation_failed', 'Password cannot be longer than 72 characters')
    const claims = await readToken(bearer(request.headers) ?? '', backend.keys.jwtSecret)
    const response = await asUser(request, claims)
    if (!response.ok || !claims || !body || !('password' in body)) return response
    await backend.core.database.exclusive(async () => {
      const { kysely } = backend.core.database.connection
      await endOtherSessions(kysely, claims.userId, claims.sessionId)
      await endRecoverySession(kysely, claims.sessionId)
    })
    return response
  }

  const app = new Hono<Env>()
  app.all('/auth/v1/*', async (c) => {
    const path = canonicalPath(new URL(c.req.url).pathname) ?? ''
    const methods = ROUTES[path]
    if (!methods) return c.json({ code: 404, error_code: 'not_found', msg: 'Not found' }, 404)
    if (c.req.method === 'OPTIONS') return ask(backend, forwarded(c, path, null))
    if (!methods.includes(c.req.method)) return c.body(null, 405, { allow: methods.join(', ') })
    const refused = REFUSED[path]
    if (refused) return authError(422, ...refused)
    if (!allByAddress.take(addressOf(c, backend))) return limited()
    const raw = await bodyOf(c, BODY_LIMIT)
    const body = parseJson(raw)
    const request = forwarded(c, path, raw)
    if (path === '/auth/v1/recover') return recover(c, request, body)
    if (path === '/auth/v1/verify') return verify(c, request, body)
    if (path === '/auth/v1/user') {
      if (c.req.method === 'PUT') return updateUser(request, body)
      return asUser(request, await readToken(bearer(request.headers) ?? '', backend.keys.jwtSecret))
    }
    if (path === '/auth/v1/token') {
      const grant = c.req.query('grant_type')
      if (grant === 'password') return signIn(c, request, body)
      if (grant === 'refresh_token') return issued(await ask(backend, request), false)
      return authError(400, 'invalid_credentials', 'unsupported_grant_type')
    }
    return ask(backend, request)
  })
  return app
}
