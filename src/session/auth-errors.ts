import { isAuthError, isAuthRetryableFetchError, isAuthWeakPasswordError } from '@supabase/supabase-js'
import type { SignInResult } from '@/session/types'

/** Why a sign-in failed: the pages tell it in their own words, next to the form. */
export class SignInError extends Error {
  readonly failure: Exclude<SignInResult, { ok: true }>
  constructor(failure: Exclude<SignInResult, { ok: true }>) {
    super(failure.message)
    this.name = 'SignInError'
    this.failure = failure
  }
}

/** Whether nothing answered the auth client. It calls every 5xx retryable too, but there a server answered. */
export function isUnanswered(error: unknown): boolean {
  return isAuthRetryableFetchError(error) && error.status === 0
}

/** The reason that is recorded of a failed sign-in: never empty, also where the server gave none. */
export function failureReason({ message, code, kind }: SignInError['failure'], status?: number): string {
  return message?.trim() || code || (status ? `HTTP ${status}` : kind)
}

/** The auth server's error codes with a text; any other error shows its own message. */
const KNOWN_CODES = [
  'invalid_credentials',
  'email_not_confirmed',
  'user_banned',
  'over_request_rate_limit',
  'over_email_send_rate_limit',
  'mail_off',
  'validation_failed',
  'email_address_invalid',
  'same_password',
  'weak_password',
  'common_password',
  'personal_password',
  'current_password_required',
  'current_password_mismatch',
  'reauthentication_needed',
  'session_not_found',
  'offline',
] as const

export type AuthErrorKey = (typeof KNOWN_CODES)[number]

export function authErrorKey(code: string | undefined): AuthErrorKey | null {
  return KNOWN_CODES.find((known) => known === code) ?? null
}

/** The code of a failure; `offline` where nothing answered. */
export function authErrorCode(error: unknown): string | undefined {
  if (isUnanswered(error)) return 'offline'
  // The server has the same code for a short password and a common one.
  if (isAuthWeakPasswordError(error)) {
    const reasons: readonly string[] = error.reasons
    if (reasons.includes('pwned')) return 'common_password'
    if (reasons.includes('personal')) return 'personal_password'
  }
  return isAuthError(error) ? error.code : undefined
}

/** Order: the text for the code, the server's own message, the page's fallback. */
export function authErrorText(
  failure: { code?: string | undefined; message?: string | undefined },
  translate: (key: AuthErrorKey) => string,
  fallback: string,
): string {
  const key = authErrorKey(failure.code)
  return key ? translate(key) : failure.message || fallback
}

export function thrownText(
  error: unknown,
  translate: (key: AuthErrorKey) => string,
  fallback: string,
): string {
  const message = error instanceof Error ? error.message : ''
  return authErrorText({ code: authErrorCode(error), message }, translate, fallback)
}
