import { AuthApiError, AuthRetryableFetchError, AuthWeakPasswordError } from '@supabase/supabase-js'
import { expect, it } from 'vitest'
import { failureReason, thrownText } from '@/session/auth-errors'

const text = (error: unknown) => thrownText(error, (key) => `known: ${key}`, 'the page’s own text')

it.each([
  ['a failing server', new AuthRetryableFetchError('', 500), 'the page’s own text'],
  ['a failing server that says why', new AuthRetryableFetchError('Disk full', 500), 'Disk full'],
  ['a busy server that says so', new AuthRetryableFetchError('Starting', 503), 'Starting'],
  ['a proxy without its server', new AuthRetryableFetchError('', 502), 'the page’s own text'],
  ['no message', new AuthApiError('', 422, undefined), 'the page’s own text'],
  ['something that is no error', 'x', 'the page’s own text'],
  ['a message of the server’s', new AuthApiError('Not today', 400, undefined), 'Not today'],
  [
    'a known code',
    new AuthApiError('x', 429, 'over_email_send_rate_limit'),
    'known: over_email_send_rate_limit',
  ],
  ['a short password', new AuthWeakPasswordError('x', 422, ['length']), 'known: weak_password'],
  ['a common password', new AuthWeakPasswordError('x', 422, ['pwned']), 'known: common_password'],
  [
    'a password of one’s own name',
    Object.assign(new AuthWeakPasswordError('x', 422, []), { reasons: ['personal'] }),
    'known: personal_password',
  ],
  ['no answer at all', new AuthRetryableFetchError('fetch failed', 0), 'known: offline'],
])('says of %s what its reader can use', (_what, error, said) => {
  expect(text(error)).toBe(said)
})

it('a failed attempt always has a reason', () => {
  const rejected = { ok: false, kind: 'rejected' } as const
  expect(failureReason({ ...rejected, message: 'Disk full', code: 'x' }, 500)).toBe('Disk full')
  expect(failureReason({ ...rejected, message: '', code: 'user_banned' }, 400)).toBe('user_banned')
  expect(failureReason({ ...rejected, message: ' ', code: '' }, 500)).toBe('HTTP 500')
  expect(failureReason({ ok: false, kind: 'exception', message: '' })).toBe('exception')
})
