import { checkPassword } from '../password-check'
import { type WeakReason, weakReason } from '../password-strength'
import { logSecurity } from '../security-log'
import { authError, tooMany } from './auth-error'
import { type AuthBody, textOf } from './auth-input'
import {
  endOtherSessions,
  endRecoverySession,
  RECOVERY,
  releaseRecovery,
  takeRecovery,
} from './auth-sessions'
import type { Backend } from './context'
import type { Device } from './device-cookie'
import type { Claims } from './sessions'
import type { SignInLimits } from './sign-in-limits'

/** The same minimum as the forms' and lite's own. */
const MIN_LENGTH = 8
/** For so long after signing in, the password need not be typed again. */
const RECENT = '5 minutes'

interface SignedIn extends Record<string, unknown> {
  email: string
  hash: string | null
  name: string
  tag: string | null
  is_recent: boolean
}

interface Change {
  claims: Claims
  body: AuthBody
  device: Device | null
  address: string
}

/** As GoTrue refuses a leaked password: with the reasons beside the code. */
const weak = (reason: WeakReason, message: string) =>
  Response.json(
    { code: 422, error_code: 'weak_password', msg: message, weak_password: { reasons: [reason] } },
    { status: 422, headers: { 'x-sb-error-code': 'weak_password', 'access-control-allow-origin': '*' } },
  )

/**
 * A password is set by whoever knows the current one, has signed in within five minutes, or came by a mailed link,
 * which serves once. A stolen access token alone changes nothing.
 * @param apply lets lite write the new password
 */
export async function changePassword(
  backend: Backend,
  limits: SignInLimits,
  { claims, body, device, address }: Change,
  apply: () => Promise<Response>,
): Promise<Response> {
  const { query, exclusive } = backend.core.database
  const [account] = await query<SignedIn>(
    `select u.email, u.encrypted_password as hash, coalesce(p.name, '') as name, s.tag,
       coalesce(s.tag is null and s.created_at > now() - $3::text::interval, false) as is_recent
     from auth.sessions s join auth.users u on u.id = s.user_id left join public.profiles p on p.id = u.id
     where s.id = $1 and s.user_id = $2`,
    [claims.sessionId, claims.userId, RECENT],
  )
  // lite says that the session is over.
  if (!account) return apply()
  const password = textOf(body, 'password')
  const reason = password.length < MIN_LENGTH ? null : weakReason(password, account)
  if (reason === 'pwned') return weak(reason, 'This password is one of the most common ones')
  if (reason === 'personal') return weak(reason, 'The password consists of your name or address')

  const current = textOf(body, 'current_password')
  const isRecovery =
    account.tag === RECOVERY &&
    (await exclusive(() => takeRecovery(backend.core.database.connection.kysely, claims.sessionId)))
  if (!isRecovery && (current !== '' || !account.is_recent)) {
    if (current === '')
      return authError(
        422,
        'current_password_required',
        'Changing the password requires the current password',
      )
    const refusal = await refuseWrong(backend, limits, { account, current, device, address })
    if (refusal) return refusal
  }
  const response = await apply()
  await exclusive(async () => {
    const { kysely } = backend.core.database.connection
    if (!response.ok) {
      if (isRecovery) await releaseRecovery(kysely, claims.sessionId)
      return
    }
    await endOtherSessions(kysely, claims.userId, claims.sessionId)
    if (isRecovery) await endRecoverySession(kysely, claims.sessionId)
  })
  if (response.ok) await logSecurity(query, { event: 'password_changed', email: account.email, address })
  return response
}

/** Guesses at the current password count as sign-ins do. */
async function refuseWrong(
  backend: Backend,
  limits: SignInLimits,
  given: { account: SignedIn; current: string; device: Device | null; address: string },
): Promise<Response | null> {
  const { account, current, device, address } = given
  const admission = limits.password({ email: account.email, address, device })
  if (!admission.admitted) return tooMany(admission.retryAfter)
  if (await checkPassword(current, account.hash || null)) {
    admission.cancel()
    return null
  }
  await logSecurity(backend.core.database.query, {
    event: 'sign_in_failed',
    email: account.email,
    address,
    details: { reason: 'Wrong current password' },
  })
  return authError(422, 'current_password_mismatch', 'The current password is wrong')
}
