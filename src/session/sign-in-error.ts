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
