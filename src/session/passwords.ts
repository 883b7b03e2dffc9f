import { isAuthRetryableFetchError } from '@supabase/supabase-js'
import { supabase } from '@/data/client'
import { forgetStoredSession, markSignedOut } from '@/session/stored-session'

/** The same minimum as the backend's own. */
export const MINIMUM_PASSWORD_LENGTH = 8

export type PasswordProblem = 'short' | 'mismatch'

export function passwordProblem(password: string, repeated: string): PasswordProblem | null {
  if (password.length < MINIMUM_PASSWORD_LENGTH) return 'short'
  if (password !== repeated) return 'mismatch'
  return null
}

/** Throws the backend's error. An unknown address is not an error: nobody learns who has an account. */
export async function requestPasswordReset(email: string): Promise<void> {
  const { error } = await supabase.auth.resetPasswordForEmail(email, {
    redirectTo: `${window.location.origin}/reset-password`,
  })
  if (error) throw error
}

/** `invited`: ready, for an account's first password. `invalid`: used, out of date, or no link at all. */
export type RecoveryState = 'ready' | 'invited' | 'invalid' | 'unreachable'

/** The link being exchanged: an effect may run twice, and a link works once. */
let link: { tokenHash: string; isInvitation: boolean; state: Promise<RecoveryState> | null } | null = null

async function exchange(tokenHash: string, isInvitation: boolean): Promise<RecoveryState> {
  const { error } = await supabase.auth.verifyOtp({ token_hash: tokenHash, type: 'recovery' })
  // No answer is no verdict: the same link is tried again when its reader asks.
  if (isAuthRetryableFetchError(error)) {
    link = { tokenHash, isInvitation, state: null }
    return 'unreachable'
  }
  link = null
  if (error) return 'invalid'
  return isInvitation ? 'invited' : 'ready'
}

/**
 * Whether this page has a session to set a password with: from a mailed link, or from an earlier sign-in.
 * Links carry a token hash that the page itself exchanges, so that a scanner following links in mails does
 * not use them up. The token is removed from the address bar in any case. A failed link does not fall back to
 * an earlier session.
 */
export async function openRecovery(): Promise<RecoveryState> {
  const { search, hash, pathname } = window.location
  if (isFailedLink(hash) || isFailedLink(search)) return 'invalid'
  const asked = new URLSearchParams(search)
  const tokenHash = asked.get('token_hash')
  if (tokenHash) {
    window.history.replaceState(window.history.state, '', pathname)
    link = { tokenHash, isInvitation: asked.get('type') === 'invite', state: null }
  }
  if (link) {
    const state = link.state ?? exchange(link.tokenHash, link.isInvitation)
    link.state = state
    return state
  }
  const { data } = await supabase.auth.getSession()
  return data.session === null ? 'invalid' : 'ready'
}

/** @param currentPassword the backend asks for it unless the session is a few minutes old or came by a mailed link */
export async function updatePassword(password: string, currentPassword = ''): Promise<void> {
  const current = currentPassword === '' ? {} : { current_password: currentPassword }
  const { error } = await supabase.auth.updateUser({ password, ...current })
  if (error) throw error
}

/** Everybody who signed in with the old password has to use the new one; this page may stay. */
export async function endOtherSessions(): Promise<void> {
  await supabase.auth.signOut({ scope: 'others' })
}

/** The address of the account that the mailed link belongs to. */
export async function recoveredEmail(): Promise<string> {
  const { data } = await supabase.auth.getSession()
  return data.session?.user.email ?? ''
}

/** After a reset nobody stays signed in, this page included; silently, since nobody asked to sign out. */
export async function endAllSessions(): Promise<void> {
  const { data } = await supabase.auth.getSession()
  markSignedOut(data.session?.user.id ?? null)
  const { error } = await supabase.auth.signOut({ scope: 'global' })
  if (error) forgetStoredSession()
}

/** A used or expired link returns with its reason in the query or the fragment. */
export function isFailedLink(part: string): boolean {
  return new URLSearchParams(part.replace(/^[#?]/, '')).has('error')
}
