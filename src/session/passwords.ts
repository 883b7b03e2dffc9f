import { supabase } from '@/data/client'
import { forgetStoredSession } from '@/session/stored-session'

/** The same minimum as the backend's own. */
export const MINIMUM_PASSWORD_LENGTH = 8

export type PasswordProblem = 'short' | 'mismatch'

export function passwordProblem(password: string, repeated: string): PasswordProblem | null {
  if (password.length < MINIMUM_PASSWORD_LENGTH) return 'short'
  if (password !== repeated) return 'mismatch'
  return null
}

/** Throws what the backend says. An unknown address is no failure: nobody learns who has an account. */
export async function requestPasswordReset(email: string): Promise<void> {
  const { error } = await supabase.auth.resetPasswordForEmail(email, {
    redirectTo: `${window.location.origin}/reset-password`,
  })
  if (error) throw error
}

/** Under way: an effect may run twice, and a link works once. */
let exchange: Promise<boolean> | null = null

/**
 * Mailed links carry a token hash that the page itself exchanges for a session, so that a scanner following links in
 * mails does not use them up. The token leaves the address bar, whether or not it worked.
 */
function exchangeLink(): Promise<boolean> | null {
  const tokenHash = new URLSearchParams(window.location.search).get('token_hash')
  if (!tokenHash) return exchange
  window.history.replaceState(window.history.state, '', window.location.pathname)
  exchange = supabase.auth
    .verifyOtp({ token_hash: tokenHash, type: 'recovery' })
    .then(({ error }) => error === null)
    .finally(() => {
      exchange = null
    })
  return exchange
}

/** Whether a mailed link, or an earlier sign-in, gave this page a session to set a password with. */
export async function hasSession(): Promise<boolean> {
  // A link that failed is not made good by whoever was signed in here before.
  if ((await exchangeLink()) === false) return false
  const { data } = await supabase.auth.getSession()
  return data.session !== null
}

export async function updatePassword(password: string): Promise<void> {
  const { error } = await supabase.auth.updateUser({ password })
  if (error) throw error
}

/** Everybody who signed in with the old password has to use the new one; this page may stay. */
export async function endOtherSessions(): Promise<void> {
  await supabase.auth.signOut({ scope: 'others' })
}

/** After a reset nobody stays signed in, this page included; silently, since nobody asked to sign out. */
export async function endAllSessions(): Promise<void> {
  const { error } = await supabase.auth.signOut({ scope: 'global' })
  if (error) forgetStoredSession()
}

/** A link that was used or ran out comes back with its reason in the fragment, and with no session of its own. */
export function isFailedLink(hash: string): boolean {
  return new URLSearchParams(hash.replace(/^#/, '')).has('error')
}
