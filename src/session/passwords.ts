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

/** Whether a mailed link, or an earlier sign-in, gave this page a session to set a password with. */
export async function hasSession(): Promise<boolean> {
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
