// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { isFailedLink, passwordProblem } from '@/session/passwords'
import { isValidName } from '@/session/profile'
import { forgetStoredSession } from '@/session/stored-session'

// The client opens a socket as soon as it is made, which Node 20 has not got; nothing here asks it anything.

describe('a new password', () => {
  it('has at least 8 characters, and both fields agree', () => {
    expect(passwordProblem('1234567', '1234567')).toBe('short')
    expect(passwordProblem('12345678', '12345679')).toBe('mismatch')
    expect(passwordProblem('12345678', '12345678')).toBeNull()
  })

  it('is told to be short before it is told to differ', () => {
    expect(passwordProblem('short', 'other')).toBe('short')
  })
})

describe('a mailed link', () => {
  it('says in its fragment that it failed', () => {
    expect(isFailedLink('#error=access_denied&error_code=otp_expired')).toBe(true)
    expect(isFailedLink('#access_token=x&type=recovery')).toBe(false)
    expect(isFailedLink('')).toBe(false)
  })
})

describe('a name', () => {
  it('takes 2 to 100 characters', () => {
    expect(['A', ' A ', 'Al', 'İl', 'x'.repeat(100), 'x'.repeat(101)].map(isValidName)).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
    ])
  })
})

describe('signing out without a connection', () => {
  it('forgets the stored session and nothing else', () => {
    const kept = new Map([
      ['sb-127-auth-token', '{}'],
      ['sb-127-auth-token-code-verifier', 'x'],
      ['theme', 'dark'],
    ])
    const storage = {
      get length() {
        return kept.size
      },
      key: (index: number) => [...kept.keys()][index] ?? null,
      removeItem: (key: string) => kept.delete(key),
    } as unknown as Storage
    forgetStoredSession(storage)
    expect([...kept.keys()]).toEqual(['theme'])
  })
})
