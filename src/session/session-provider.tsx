import { isAuthApiError, isAuthRetryableFetchError, type Session } from '@supabase/supabase-js'
import { type ReactNode, useCallback, useEffect, useMemo, useReducer, useRef } from 'react'
import { supabase } from '@/data/client'
import { SessionError } from '@/data/errors'
import { setSessionRenewal } from '@/data/session-renewal'
import { failureReason, isUnanswered } from '@/session/auth-errors'
import { recordFailedAttempt } from '@/session/failed-attempts'
import { useLicense } from '@/session/license'
import { MissingRoleError, readUser } from '@/session/read-user'
import { initialSession, nextSession, retryDelay } from '@/session/session-state'
import { forgetStoredSession, hasSignedOut, markSignedOut } from '@/session/stored-session'
import type { SessionUser, SignInResult } from '@/session/types'
import { SessionContext, type SessionValue } from '@/session/use-session'

type Loaded = { kind: 'user'; user: SessionUser } | { kind: 'no-role' } | { kind: 'failed'; error: unknown }

/** The mailed link's page needs its session even where the account has no role. */
const RECOVERY_PATH = '/reset-password'

/** Ends the session of this browser; without a connection too. */
async function endSession(): Promise<void> {
  const { error } = await supabase.auth.signOut({ scope: 'local' })
  if (error) forgetStoredSession()
}

let renewal: ReturnType<typeof supabase.auth.refreshSession> | null = null

/**
 * Only one renewal runs at a time. A sign-in waits for it: the client removes its session when a renewal is refused,
 * also a newer one.
 */
function renew() {
  renewal ??= supabase.auth.refreshSession().finally(() => {
    renewal = null
  })
  return renewal
}

/**
 * Settles what a 401 means: the auth server gives no new token for a session that was ended elsewhere. The
 * client itself would keep such a session until its access token ran out.
 */
async function isSessionOver(): Promise<boolean> {
  const { error } = await renew()
  return isRefused(error)
}

function isRefused(error: unknown): boolean {
  return isAuthApiError(error) && [400, 401, 403, 404].includes(error.status)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, dispatch] = useReducer(nextSession, initialSession)
  const license = useLicense(state.user)
  const pending = useRef<{ token: string; result: Promise<Loaded> } | null>(null)
  const retry = useRef<{ attempt: number; timer: number | undefined }>({ attempt: 0, timer: undefined })
  const check = useRef<() => Promise<void>>(async () => undefined)
  /** The account whose session this page shows; a late answer for another account is dropped. */
  const account = useRef<string | null>(null)
  /** Refused requests that wait for their user to sign in again; called with the new token, or null. */
  const waiting = useRef(new Set<(token: string | null) => void>())

  const release = useCallback((token: string | null) => {
    for (const resolve of waiting.current) resolve(token)
    waiting.current.clear()
  }, [])

  const end = useCallback(() => {
    account.current = null
    window.clearTimeout(retry.current.timer)
    dispatch({ type: 'ended' })
    release(null)
  }, [release])

  /**
   * The session has ended. A user who signed out, in any tab, leaves the page; otherwise they are asked to
   * sign in again.
   */
  const lose = useCallback(() => {
    if (account.current === null || hasSignedOut(account.current)) end()
    else dispatch({ type: 'expired' })
  }, [end])

  const tryLater = useCallback(() => {
    window.clearTimeout(retry.current.timer)
    retry.current.timer = window.setTimeout(() => void check.current(), retryDelay(retry.current.attempt))
    retry.current.attempt += 1
  }, [])

  /** Reads the record once for a token, however many ask at the same moment. */
  const load = useCallback(async (session: Session): Promise<Loaded> => {
    const running = pending.current
    if (running?.token === session.access_token) return running.result
    const result = readUser(session.user).then(
      (user): Loaded => ({ kind: 'user', user }),
      (error: unknown): Loaded =>
        error instanceof MissingRoleError ? { kind: 'no-role' } : { kind: 'failed', error },
    )
    pending.current = { token: session.access_token, result }
    const loaded = await result
    if (pending.current?.result === result) pending.current = null
    return loaded
  }, [])

  /** `isSignIn`: the sign-in page waits for the answer and speaks about a failure itself. */
  const adopt = useCallback(
    async (session: Session, isSignIn = false): Promise<Loaded> => {
      if (account.current !== session.user.id) release(null)
      account.current = session.user.id
      markSignedOut(null)
      dispatch({ type: 'session', accountId: session.user.id })
      const loaded = await load(session)
      if (account.current !== session.user.id) return loaded
      if (loaded.kind === 'user') {
        window.clearTimeout(retry.current.timer)
        retry.current.attempt = 0
        dispatch({ type: 'loaded', user: loaded.user })
        release(session.access_token)
      } else if (loaded.kind === 'no-role') {
        console.error(`The account ${session.user.id} has no role.`)
        if (window.location.pathname !== RECOVERY_PATH) await endSession()
        end()
      } else if (!isSignIn) {
        if (loaded.error instanceof SessionError && (await isSessionOver())) {
          await endSession()
          lose()
          return loaded
        }
        dispatch({ type: 'unreachable' })
        tryLater()
      }
      return loaded
    },
    [load, tryLater, end, lose, release],
  )

  const checkSession = useCallback(async (): Promise<void> => {
    const { data, error } = await supabase.auth.getSession()
    if (data.session) await adopt(data.session)
    else if (error && isAuthRetryableFetchError(error)) {
      // There is a session, but its token ran out while the server cannot be reached.
      dispatch({ type: 'unreachable' })
      tryLater()
    } else lose()
  }, [adopt, tryLater, lose])

  useEffect(() => {
    check.current = checkSession
  }, [checkSession])

  const isSigningIn = useRef(false)
  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((event, session) => {
      // The client holds its lock while it calls us: anything that asks it again has to wait its turn.
      window.setTimeout(() => {
        if (isSigningIn.current) return
        if (event === 'SIGNED_OUT') lose()
        // The reset page ends this session next: reading the record again would only meet its end.
        else if (event === 'USER_UPDATED' && window.location.pathname === RECOVERY_PATH) return
        else if (session) void adopt(session)
        else void checkSession()
      }, 0)
    })
    const handleOnline = () => void check.current()
    window.addEventListener('online', handleOnline)
    const timers = retry.current
    return () => {
      data.subscription.unsubscribe()
      window.removeEventListener('online', handleOnline)
      window.clearTimeout(timers.timer)
    }
  }, [adopt, checkSession, lose])

  useEffect(() => {
    setSessionRenewal(async (refused) => {
      if (account.current === null) return null
      const untilSignedIn = () => new Promise<string | null>((resolve) => waiting.current.add(resolve))
      // The sign-in itself reads with its new token, and fails when that is refused.
      if (isSigningIn.current) return pending.current?.token === refused ? null : untilSignedIn()
      const isOwn = (session: Session | null) => session?.user.id === account.current
      const { data } = await supabase.auth.getSession()
      if (data.session) {
        if (!isOwn(data.session)) return null
        // Another request or tab has already renewed it.
        if (data.session.access_token !== refused) return data.session.access_token
        // The session's user is signing out: requests under way end with the session.
        if (hasSignedOut(account.current)) return null
        const { data: renewed, error } = await renew()
        if (renewed.session) return isOwn(renewed.session) ? renewed.session.access_token : null
        if (!isRefused(error)) return null
      }
      lose()
      if (account.current === null) return null
      return untilSignedIn()
    })
    return () => setSessionRenewal(null)
  }, [lose])

  const signIn = useCallback(
    async (email: string, password: string): Promise<SignInResult> => {
      const fail = async (
        result: Exclude<SignInResult, { ok: true }>,
        status?: number,
      ): Promise<SignInResult> => {
        await recordFailedAttempt(email, failureReason(result, status))
        return result
      }
      isSigningIn.current = true
      try {
        await renewal?.catch(() => undefined)
        const { data, error } = await supabase.auth.signInWithPassword({ email, password })
        if (error) {
          const code = isUnanswered(error) ? 'offline' : (error.code ?? '')
          return await fail({ ok: false, kind: 'rejected', code, message: error.message }, error.status)
        }
        const loaded = await adopt(data.session, true)
        if (loaded.kind === 'user') {
          // Requests that were refused while the record was read are released too.
          release(data.session.access_token)
          return { ok: true }
        }
        if (loaded.kind === 'no-role')
          return await fail({ ok: false, kind: 'no-role', message: 'Missing role' })
        await endSession()
        lose()
        return await fail({ ok: false, kind: 'exception', message: messageOf(loaded.error) })
      } catch (error) {
        return await fail({ ok: false, kind: 'exception', message: messageOf(error) })
      } finally {
        isSigningIn.current = false
      }
    },
    [adopt, lose, release],
  )

  const signOut = useCallback(async () => {
    markSignedOut(account.current)
    await endSession()
    end()
  }, [end])

  const value = useMemo<SessionValue>(
    () => ({ ...state, license, signIn, signOut, reloadUser: checkSession }),
    [state, license, signIn, signOut, checkSession],
  )
  return <SessionContext.Provider value={value}>{children}</SessionContext.Provider>
}
