import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  clientAddress,
  isForwarded,
  isLocal,
  isLoopback,
  isLoopbackName,
  limitKey,
} from '../../../supabase/embedded/http/address'
import { canonicalPath } from '../../../supabase/embedded/http/path'
import { RateLimit, TokenBucket } from '../../../supabase/embedded/http/rate-limit'
import { isWeak } from '../../../supabase/embedded/keys'

const requestFrom = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({
    socket: { remoteAddress },
    headers: { host: 'localhost:3000', ...headers },
  }) as unknown as IncomingMessage

describe('canonicalPath', () => {
  it.each([
    ['/auth/v1/otp', '/auth/v1/otp'],
    ['/auth/v1/%6ftp', '/auth/v1/otp'],
    ['/auth%2Fv1/otp', '/auth/v1/otp'],
    ['/rest/v1/', '/rest/v1/'],
    ['/a/b.c/d..e', '/a/b.c/d..e'],
    ['/d%C3%BC%C5%9F', '/düş'],
  ])('%s means %s', (path, meaning) => expect(canonicalPath(path)).toBe(meaning))

  it.each([
    '/a%25b',
    '/%',
    '/a%5cb',
    '/a%00b',
    '/a%0ab',
    '//a',
    '/a//b',
    '/./a',
    '/a/..',
    '/%2e%2e/a',
    '/a%2f%2fb',
    '/%ff',
  ])('%s means none of ours', (path) => expect(canonicalPath(path)).toBeNull())
})

describe('addresses', () => {
  it('knows its own machine', () => {
    for (const address of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])
      expect(isLoopback(address)).toBe(true)
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', '', undefined])
      expect(isLoopback(address)).toBe(false)
    for (const host of ['localhost', 'LOCALHOST:3000', '127.0.0.1:80', '[::1]:3000'])
      expect(isLoopbackName(host)).toBe(true)
    for (const host of ['0.0.0.0', 'localhost.evil.example', '127.0.0.1.evil.example', '::', ''])
      expect(isLoopbackName(host)).toBe(false)
  })

  it('does not take for local what was passed on', () => {
    expect(isLocal(requestFrom('127.0.0.1'))).toBe(true)
    expect(isLocal(requestFrom('10.0.0.7'))).toBe(false)
    for (const header of [
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-real-ip',
      'forwarded',
      'via',
      'cf-connecting-ip',
    ])
      expect(isLocal(requestFrom('127.0.0.1', { [header]: 'x' }))).toBe(false)
    expect(isLocal(requestFrom('127.0.0.1', { host: 'rebound.example' }))).toBe(false)
  })

  it('sees that a proxy names its client', () => {
    expect(isForwarded(requestFrom('127.0.0.1'))).toBe(false)
    expect(isForwarded(requestFrom('127.0.0.1', { 'x-forwarded-for': '203.0.113.9' }))).toBe(true)
    expect(isForwarded(requestFrom('127.0.0.1', { forwarded: 'for=203.0.113.9' }))).toBe(true)
  })

  it('believes only the proxies it was told of', () => {
    const request = requestFrom('127.0.0.1', { 'x-forwarded-for': '1.1.1.1, 203.0.113.9' })
    expect(clientAddress(request, 0)).toBe('127.0.0.1')
    expect(clientAddress(request, 1)).toBe('203.0.113.9')
    expect(clientAddress(request, 2)).toBe('1.1.1.1')
    expect(clientAddress(request, 3)).toBe('127.0.0.1')
    expect(clientAddress(requestFrom('10.0.0.1', { 'x-forwarded-for': 'nonsense' }), 1)).toBe('10.0.0.1')
  })

  it('counts an IPv6 network as one', () => {
    expect(limitKey('203.0.113.9')).toBe('203.0.113.9')
    expect(limitKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
    expect(limitKey('2001:db8:1:2::9')).toBe(limitKey('2001:db8:1:2:ffff::1'))
    expect(limitKey('2001:db8::9')).toBe('2001:db8:0:0::/64')
  })
})

describe('RateLimit', () => {
  it('fills, forgets after its window, and gives canceled places back', () => {
    const limit = new RateLimit(2, 10)
    expect(limit.take('a', 0)).not.toBeNull()
    const cancel = limit.take('a', 1000)
    expect(limit.take('a', 2000)).toBeNull()
    expect(limit.take('b', 2000)).not.toBeNull()
    cancel?.()
    expect(limit.take('a', 3000)).not.toBeNull()
    expect(limit.take('a', 4000)).toBeNull()
    expect(limit.take('a', 10_001)).not.toBeNull()
  })

  it('says whether it is full without counting the question', () => {
    const limit = new RateLimit(1, 10)
    expect(limit.isFull('a', 0)).toBe(false)
    expect(limit.take('a', 0)).not.toBeNull()
    expect(limit.isFull('a', 0)).toBe(true)
    expect(limit.isFull('a', 10_001)).toBe(false)
  })

  it('keeps a bounded number of keys, the newest ones', () => {
    const limit = new RateLimit(1, 10)
    for (let n = 0; n <= 20_000; n++) limit.take(`address ${n}`, 0)
    expect(limit.isFull('address 20000', 0)).toBe(true)
    expect(limit.isFull('address 0', 0)).toBe(false)
  })

  it('is never closed altogether by a small factor', () => {
    expect(new RateLimit(5, 10, 0.001).take('a')).not.toBeNull()
  })
})

describe('TokenBucket', () => {
  it('allows a burst, then its rate, and says how long to wait', () => {
    const bucket = new TokenBucket(3, 0.5)
    expect([1, 2, 3].map(() => bucket.take('a', 0))).toEqual([0, 0, 0])
    expect(bucket.take('a', 0)).toBe(2)
    expect(bucket.take('b', 0)).toBe(0)
    expect(bucket.take('a', 1_000)).toBe(1)
    expect(bucket.take('a', 2_000)).toBe(0)
    expect(bucket.take('a', 2_000)).toBe(2)
    expect([1, 2, 3, 4].map(() => bucket.take('a', 60_000))).toEqual([0, 0, 0, 2])
  })

  it('keeps a bounded number of keys', () => {
    const bucket = new TokenBucket(1, 0.001)
    for (let n = 0; n <= 20_000; n++) bucket.take(`address ${n}`, 0)
    expect(bucket.take('address 20000', 0)).toBeGreaterThan(0)
    expect(bucket.take('address 0', 0)).toBe(0)
  })
})

it('tells secrets drawn at random from others', () => {
  for (const weak of [
    '',
    'short',
    'a'.repeat(64),
    'change-me-change-me-change-me-change-me',
    'my-secret-my-secret-my-secret-1234',
  ])
    expect(isWeak(weak), weak).toBe(true)
  expect(isWeak('kJ8x_2mVq-Zr71Lw0yTn5BcHs9DfGpUa3XeQoR4iM6tE')).toBe(false)
  expect(isWeak('sb_secret_kJ8x2mVqZr71Lw0yTn5BcHs9DfGpUa3XeQoR4iM6tE')).toBe(false)
})
