import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import { checkPassword } from '../password-check'
import { logSecurity } from '../security-log'
import { authError } from './auth-error'
import { type AuthBody, emailOf, textOf } from './auth-input'
import { addressOf, ask, type Backend, type Env } from './context'
import { type Device, rememberDevice } from './device-cookie'
import { ACCESS_TOKEN_SECONDS, writeToken } from './sessions'

interface Account extends Record<string, unknown> {
  id: string
  email: string
  hash: string | null
  is_confirmed: boolean
  is_banned: boolean
}

const wrongPassword = () => authError(400, 'invalid_credentials', 'Invalid login credentials')

/**
 * Password sign-in without lite. lite compares passwords while it holds the database, and only for existing
 * accounts, so the next request's delay revealed who has an account. Here an unknown address costs the same
 * statements and the same comparison, in a separate thread.
 */
export async function signInWithPassword(
  c: Context<Env>,
  backend: Backend,
  body: AuthBody,
  device: Device | null,
): Promise<Response> {
  const email = emailOf(body)
  const password = textOf(body, 'password')
  if (!email) return authError(400, 'validation_failed', 'missing email or phone')
  if (!password) return wrongPassword()
  const { query } = backend.core.database
  const [account] = await query<Account>(
    `select id, email, encrypted_password as hash, email_confirmed_at is not null as is_confirmed,
       coalesce(banned_until > now(), false) as is_banned
     from auth.users where email = $1 and deleted_at is null and not is_sso_user`,
    [email],
  )
  const isRight = await checkPassword(password, account?.hash || null)
  const client = { address: addressOf(c, backend), userAgent: c.req.header('user-agent') ?? '' }
  const refuse = async (response: Response, reason: string) => {
    await query('select app.record_failed_login($1, $2, $3, $4)', [
      email,
      client.address,
      client.userAgent,
      reason,
    ])
    await logSecurity(query, { event: 'sign_in_failed', email, ...client, details: { reason } })
    return response
  }
  if (!account || !isRight) return refuse(wrongPassword(), 'Invalid login credentials')
  if (account.is_banned) return refuse(authError(400, 'user_banned', 'User is banned'), 'User is banned')
  if (!account.is_confirmed)
    return refuse(authError(400, 'email_not_confirmed', 'Email not confirmed'), 'Email not confirmed')

  const session = await openSession(backend, account, client)
  const user = await readUser(c, backend, session.access_token)
  if (!user.ok) return user
  await rememberDevice(c, backend, device, email)
  await logSecurity(query, { event: 'sign_in', email, ...client, details: { method: 'password' } })
  return Response.json(
    { ...session, user: await user.json(), weak_password: null },
    { headers: { 'access-control-allow-origin': '*', 'cache-control': 'no-store' } },
  )
}

/** A session as lite keeps them, so that it renews and ends this one like its own. */
async function openSession(
  backend: Backend,
  { id: userId, email }: Account,
  { address, userAgent }: { address: string; userAgent: string },
) {
  const sessionId = randomUUID()
  const refreshToken = randomUUID()
  await backend.core.database.query(
    `with opened as (
       insert into auth.sessions (id, user_id, user_agent, ip, refreshed_at, not_after)
       values ($1, $2, $3, $4::text::inet, now() at time zone 'utc', now() + make_interval(secs => $7::double precision))
       returning id
     ), signed_in as (
       update auth.users set last_sign_in_at = now() where id = $2 returning id
     )
     insert into auth.refresh_tokens (id, token, user_id, session_id)
     select $5, $6, signed_in.id, opened.id from opened, signed_in`,
    [
      sessionId,
      userId,
      userAgent.slice(0, 512),
      address || null,
      randomUUID(),
      refreshToken,
      backend.sessionMaxSeconds,
    ],
  )
  return {
    access_token: await writeToken({ userId, sessionId, email }, backend.keys.jwtSecret),
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    expires_at: Math.floor(Date.now() / 1000) + ACCESS_TOKEN_SECONDS,
    refresh_token: refreshToken,
  }
}

/** The account as GoTrue describes it. */
function readUser(c: Context<Env>, backend: Backend, accessToken: string): Promise<Response> {
  const request = new Request(new URL('/auth/v1/user', c.req.url), {
    headers: { apikey: backend.keys.publishableKey, authorization: `Bearer ${accessToken}` },
  })
  return ask(backend, request)
}
