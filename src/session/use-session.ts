import { createContext, useContext } from 'react'
import type { LicenseState, SessionStatus, SessionUser, SignInResult } from '@/session/types'

export interface SessionValue {
  status: SessionStatus
  user: SessionUser | null
  license: LicenseState
  /** The first session check got no answer and is retried. */
  isUnreachable: boolean
  /** The session has ended while `user` was at work; requests wait until they sign in again or leave. */
  isExpired: boolean
  /** Somebody was signed in since the page was loaded. */
  wasSignedIn: boolean
  /** Succeeds only when the user record loaded. */
  signIn: (email: string, password: string) => Promise<SignInResult>
  signOut: () => Promise<void>
  /** Reads the user record again, without unmounting anything. */
  reloadUser: () => Promise<void>
}

export const SessionContext = createContext<SessionValue | null>(null)

export function useSession(): SessionValue {
  const value = useContext(SessionContext)
  if (!value) throw new Error('useSession needs SessionProvider above it')
  return value
}
