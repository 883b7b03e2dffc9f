import { describe, expect, it } from 'vitest'
import { pageAfterSignIn, wantedState } from '@/app/private-paths'

describe('the page after a sign-in', () => {
  it('is the one that was wanted, with its search and fragment', () => {
    const wanted = wantedState({ pathname: '/devices/42', search: '?tab=jobs', hash: '#last' })
    expect(pageAfterSignIn(wanted)).toBe('/devices/42?tab=jobs#last')
    expect(pageAfterSignIn({ wanted: '/groups' })).toBe('/groups')
  })

  it('is the dashboard when none was wanted', () => {
    for (const state of [null, undefined, {}, { wanted: 7 }, { wanted: '' }])
      expect(pageAfterSignIn(state)).toBe('/')
  })

  it.each([
    'https://evil.example/devices',
    '//evil.example/devices',
    '/\\evil.example/devices',
    'javascript:alert(1)',
    'devices',
    '/login',
    '/reset-password',
    '/no-such-page',
  ])('is never %s', (wanted) => {
    expect(pageAfterSignIn({ wanted })).toBe('/')
  })
})
