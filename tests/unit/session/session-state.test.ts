import { describe, expect, it } from 'vitest'
import { initialSession, nextSession, retryDelay, type SessionState } from '@/session/session-state'
import type { SessionUser } from '@/session/types'

const ada = { id: 'ada', name: 'Ada' } as SessionUser
const bob = { id: 'bob', name: 'Bob' } as SessionUser
const signedIn: SessionState = { ...initialSession, status: 'authenticated', user: ada, wasSignedIn: true }
const signedOut: SessionState = { ...initialSession, status: 'unauthenticated' }

describe('the session', () => {
  it('is loading until the record is there', () => {
    const state = nextSession(initialSession, { type: 'session', accountId: 'ada' })
    expect(state.status).toBe('loading')
    expect(nextSession(state, { type: 'loaded', user: ada })).toEqual(signedIn)
  })

  it('keeps the sign-in page mounted while the record of a new session is read', () => {
    expect(nextSession(signedOut, { type: 'session', accountId: 'ada' }).status).toBe('unauthenticated')
  })

  it('keeps the user while the record is read again', () => {
    expect(nextSession(signedIn, { type: 'session', accountId: 'ada' })).toBe(signedIn)
  })

  it('signs nobody out when the server cannot be reached', () => {
    expect(nextSession(signedIn, { type: 'unreachable' })).toBe(signedIn)
    expect(nextSession(initialSession, { type: 'unreachable' })).toEqual({
      ...initialSession,
      isUnreachable: true,
    })
  })

  it('drops one person before another is loaded', () => {
    const between = nextSession(signedIn, { type: 'session', accountId: 'bob' })
    expect(between).toEqual({ ...initialSession, wasSignedIn: true })
    expect(nextSession(between, { type: 'loaded', user: bob }).user).toBe(bob)
  })

  it('ends without a trace', () => {
    expect(nextSession(signedIn, { type: 'ended' })).toEqual({ ...signedOut, wasSignedIn: true })
  })

  it('keeps the user on screen when it expires, until they sign in again', () => {
    const expired = nextSession(signedIn, { type: 'expired' })
    expect(expired).toEqual({ ...signedIn, isExpired: true })
    expect(nextSession(expired, { type: 'loaded', user: ada })).toEqual(signedIn)
  })

  it('has nobody to keep when it expires before the record was read', () => {
    expect(nextSession(initialSession, { type: 'expired' })).toEqual(signedOut)
  })
})

describe('trying again', () => {
  it('waits longer each time, at most half a minute', () => {
    expect([0, 1, 2, 3, 4, 5, 20].map(retryDelay)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  })
})
