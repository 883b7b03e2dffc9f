import type { SessionStatus, SessionUser } from '@/session/types'

export interface SessionState {
  status: SessionStatus
  user: SessionUser | null
  isUnreachable: boolean
}

export type SessionEvent =
  /** The auth client has a session for this account; its record is being read. */
  | { type: 'session'; accountId: string }
  | { type: 'loaded'; user: SessionUser }
  /** The record could not be read just now. */
  | { type: 'unreachable' }
  | { type: 'ended' }

export const initialSession: SessionState = { status: 'loading', user: null, isUnreachable: false }

/**
 * Only a change of person drops what is on screen. A record read again, or a read that fails, leaves the
 * user in place: a lost connection signs nobody out.
 */
export function nextSession(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'session':
      if (state.user && state.user.id !== event.accountId) return initialSession
      return state
    case 'loaded':
      return { status: 'authenticated', user: event.user, isUnreachable: false }
    case 'unreachable':
      return state.user ? state : { ...state, isUnreachable: true }
    case 'ended':
      return { status: 'unauthenticated', user: null, isUnreachable: false }
  }
}
