import { type Context, Hono } from 'hono'
import { logSecurity } from '../security-log'
import { authError, tooMany } from './auth-error'
import { type AuthBody, emailOf, isEmail, readAuthBody, textOf } from './auth-input'
import { clearSession, createTurns, markRecovery } from './auth-sessions'
import { addressOf, ask, type Backend, bodyOf, type Env, forwarded } from './context'
import { type Device, readDevice, rememberDevice } from './device-cookie'
import { changePassword } from './password-change'
import { canonicalPath } from './path'
import { bearer, type Claims, isSessionAlive, normalizeAuthorization, readToken } from './sessions'
import { signInWithPassword } from './sign-in'
import { signInLimits } from './sign-in-limits'

const BODY_LIMIT = 64 * 1024

/** Only the console's routes of GoTrue are open: accounts are made by administrators, without codes or links. */
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

interface Call {
  c: Context<Env>
  request: Request
  body: AuthBody
  device: Device | null
  address: string
}

interface Issued {
  user?: { email?: string }
  access_token?: string
}

export function authRoutes(backend: Backend): Hono<Env> {
  const limits = signInLimits(backend)
  // On PostgreSQL requests run side by side. Two tabs that renew with one token at the same moment would each get a new
  // one, and whichever lite does not keep would count as stolen the next time.
  const renewInTurn = createTurns()
  const query = <R>(sql: string, params?: readonly unknown[]) => backend.core.database.query<R>(sql, params)
  const claimsOf = (request: Request) => readToken(bearer(request.headers) ?? '', backend.keys.jwtSecret)

  async function emailOfUser(userId: string): Promise<string | null> {
    const [row] = await query<{ email: string }>('select email from auth.users where id = $1', [userId])
    return row?.email ?? null
  }

  /** lite issues sessions to banned and deleted accounts, and renews those that are over. */
  async function issued(response: Response, isRecovery: boolean): Promise<Response> {
    if (!response.ok) return response
    const session = (await response.clone().json()) as Issued
    const claims = await readToken(String(session.access_token ?? ''), backend.keys.jwtSecret)
    if (!claims) return response
    const { exclusive, connection } = backend.core.database
    const isOver = await exclusive(async () => {
      if (await isSessionAlive(backend, claims)) {
        if (isRecovery) await markRecovery(connection.kysely, claims.sessionId)
        return false
      }
      await clearSession(connection.kysely, claims.sessionId)
      return true
    })
    if (!isOver) return response
    const [user] = await query('select 1 from auth.users where id = $1 and banned_until > now()', [
      claims.userId,
    ])
    return user
      ? authError(400, 'user_banned', 'User is banned')
      : authError(400, 'session_expired', 'Invalid Refresh Token: Session Expired')
  }

  async function signIn({ c, body, device, address }: Call): Promise<Response> {
    const email = emailOf(body).slice(0, 255)
    const admission = limits.password({ email, address, device })
    if (!admission.admitted) return tooMany(admission.retryAfter)
    const response = await signInWithPassword(c, backend, body, device)
    if (response.ok) admission.cancel()
    return response
  }

  const isKnown = async (token: string): Promise<boolean> =>
    (await query('select from auth.refresh_tokens where token = $1', [token])).length > 0

  /** A refresh token used twice was copied: lite revokes its family, and its access tokens end with the session. */
  async function refresh({ request, body, address }: Call): Promise<Response> {
    const token = textOf(body, 'refresh_token')
    if (!token) return authError(400, 'validation_failed', 'Refresh token is not valid')
    const response = await renewInTurn(token, async () => issued(await ask(backend, request), false))
    // The session ended while lite renewed it: what it writes refers to a row that is gone.
    if (response.status === 500 && !(await isKnown(token)))
      return authError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found')
    const sessionId = response.headers.get('sb-auth-session-id')
    if (response.headers.get('x-sb-error-code') !== 'refresh_token_already_used' || !sessionId)
      return response
    const { exclusive, connection } = backend.core.database
    await exclusive(() => clearSession(connection.kysely, sessionId))
    const userId = response.headers.get('sb-auth-user-id')
    await logSecurity(query, {
      event: 'session_revoked',
      email: userId && (await emailOfUser(userId)),
      address,
      details: { reason: 'refresh_token_reused' },
    })
    return response
  }

  /** Asks for the mail and answers at once: finding the account and writing to it is the outbox's work. */
  async function recover({ c, body, device, address }: Call): Promise<Response> {
    const email = emailOf(body)
    if (!email) return authError(400, 'validation_failed', 'Password recovery requires an email')
    if (!isEmail(email))
      return authError(400, 'validation_failed', 'Unable to validate email address: invalid format')
    if (!backend.takesMail) return authError(422, 'mail_off', 'This server sends no mail')
    const admission = limits.mail({ email, address, device })
    if (!admission.admitted) return tooMany(admission.retryAfter, 'over_email_send_rate_limit')
    await query(`select app.queue_mail('recovery', $1)`, [email])
    const userAgent = c.req.header('user-agent') ?? ''
    await logSecurity(query, { event: 'password_link_requested', email, address, userAgent })
    await backend.settleMails()
    return Response.json({}, { headers: { 'access-control-allow-origin': '*' } })
  }

  async function verify({ c, request, body, device, address }: Call): Promise<Response> {
    if (body.type !== 'recovery')
      return authError(400, 'validation_failed', 'Invalid email verification type')
    if (!textOf(body, 'token_hash'))
      return authError(400, 'validation_failed', 'Verify requires a token or a token hash')
    const admission = limits.link({ address, device })
    if (!admission.admitted) return tooMany(admission.retryAfter)
    const response = await issued(await ask(backend, request), true)
    if (!response.ok) return response
    admission.cancel()
    const email = ((await response.clone().json()) as Issued).user?.email
    // Access to the account's mail counts as much as its password.
    if (email) await rememberDevice(c, backend, device, email)
    await logSecurity(query, {
      event: 'sign_in',
      email: email ?? null,
      address,
      userAgent: c.req.header('user-agent') ?? '',
      details: { method: 'mailed_link' },
    })
    return response
  }

  /** The caller of a route for signed-in users. Nothing is passed on for a token that we cannot read ourselves. */
  async function callerOf(request: Request): Promise<Claims | Response> {
    const claims = await claimsOf(request)
    if (claims) return claims
    return bearer(request.headers) === null
      ? authError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
      : authError(403, 'bad_jwt', 'invalid JWT: unable to parse or verify signature')
  }

  function asUser(request: Request, claims: Claims): Promise<Response> {
    return ask(backend, request, async () =>
      (await isSessionAlive(backend, claims))
        ? undefined
        : authError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist'),
    )
  }

  async function readUser({ request }: Call): Promise<Response> {
    const claims = await callerOf(request)
    return claims instanceof Response ? claims : asUser(request, claims)
  }

  async function logout({ request, address }: Call): Promise<Response> {
    const claims = await callerOf(request)
    if (claims instanceof Response) return claims
    const response = await asUser(request, claims)
    if (response.ok)
      await logSecurity(query, { event: 'sign_out', email: await emailOfUser(claims.userId), address })
    return response
  }

  async function updateUser({ request, body, device, address }: Call): Promise<Response> {
    const claims = await callerOf(request)
    if (claims instanceof Response) return claims
    // Whoever takes a session must not move the account to a mailbox of their own.
    if ('email' in body || 'phone' in body)
      return authError(422, 'email_change_disabled', 'The e-mail address of an account cannot be changed')
    // bcrypt reads no further: two long passwords would be one.
    if (Buffer.byteLength(textOf(body, 'password')) > 72)
      return authError(422, 'validation_failed', 'Password cannot be longer than 72 characters')
    const apply = () => asUser(request, claims)
    if (!('password' in body)) return apply()
    return changePassword(backend, limits, { claims, body, device, address }, apply)
  }

  async function token(call: Call): Promise<Response> {
    const grant = call.c.req.query('grant_type')
    if (grant === 'password') return signIn(call)
    if (grant === 'refresh_token') return refresh(call)
    return authError(400, 'invalid_credentials', 'unsupported_grant_type')
  }

  const handlers: Record<string, (call: Call) => Promise<Response>> = {
    'POST /auth/v1/token': token,
    'POST /auth/v1/recover': recover,
    'POST /auth/v1/verify': verify,
    'POST /auth/v1/logout': logout,
    'PUT /auth/v1/user': updateUser,
    'GET /auth/v1/user': readUser,
  }

  const app = new Hono<Env>()
  app.all('/auth/v1/*', async (c) => {
    const path = canonicalPath(new URL(c.req.url).pathname) ?? ''
    const methods = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined
    if (!methods) return c.json({ code: 404, error_code: 'not_found', msg: 'Not found' }, 404)
    if (c.req.method === 'OPTIONS') return ask(backend, forwarded(c, path, null))
    if (!methods.includes(c.req.method)) return c.body(null, 405, { allow: methods.join(', ') })
    const refused = REFUSED[path]
    if (refused) return authError(422, ...refused)
    const [address, device] = [addressOf(c, backend), await readDevice(c, backend)]
    const admission = limits.request({ address, device })
    if (!admission.admitted) return tooMany(admission.retryAfter)
    const raw = await bodyOf(c, BODY_LIMIT)
    const body = readAuthBody(raw)
    if (body instanceof Response) return body
    const request = forwarded(c, path, raw, normalizeAuthorization)
    const handler = handlers[`${c.req.method} ${path}`]
    if (!handler) return ask(backend, request)
    const response = await handler({ c, request, body, device, address })
    // Hono holds the cookie of a remembered device apart from a response of lite's.
    return c.newResponse(response.body, response)
  })
  return app
}
