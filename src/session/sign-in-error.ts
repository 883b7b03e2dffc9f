import { isAuthRetryableFetchError } from '@supabase/supabase-js'
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
