import type { SessionStatus, SessionUser } from '@/session/types'

export interface SessionState {
  status: SessionStatus
  user: SessionUser | null
  isUnreachable: boolean
  /** The server ended the session of the user on screen: the page stays, and sign-in is offered over it. */
  isExpired: boolean
  /** Somebody was signed in since the page was loaded, so the next user does not get their address. */
  wasSignedIn: boolean
}

export type SessionEvent =
  /** The auth client has a session for this account; its record is being read. */
  | { type: 'session'; accountId: string }
  | { type: 'loaded'; user: SessionUser }
  /** The record could not be read just now. */
  | { type: 'unreachable' }
  /** The session ended elsewhere, or expired. */
  | { type: 'expired' }
  /** The user signed out. */
  | { type: 'ended' }

export const initialSession: SessionState = {
  status: 'loading',
  user: null,
  isUnreachable: false,
  isExpired: false,
  wasSignedIn: false,
}

/**
 * Only a change of person drops what is on screen. A record read again, or a read that fails, leaves the
 * user in place: a lost connection signs nobody out.
 */
export function nextSession(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'session':
      if (state.user && state.user.id !== event.accountId) return { ...initialSession, wasSignedIn: true }
      return state
    case 'loaded':
      return { ...initialSession, status: 'authenticated', user: event.user, wasSignedIn: true }
    case 'unreachable':
      return state.user ? state : { ...state, isUnreachable: true }
    case 'expired':
      return state.user ? { ...state, isExpired: true } : nextSession(state, { type: 'ended' })
    case 'ended':
      return { ...initialSession, status: 'unauthenticated', wasSignedIn: state.wasSignedIn }
  }
}

/** Milliseconds before the next try: quickly at first, then at most twice a minute. */
export function retryDelay(attempt: number): number {
  return Math.min(30_000, 1000 * 2 ** Math.min(attempt, 5))
}
