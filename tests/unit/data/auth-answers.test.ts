import { AuthClient } from '@supabase/supabase-js'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { authFetch } from '@/data/auth-answers'

const HOUR = 3600

/** The real auth client in front of one answer. */
function clientOf(answer: () => Response | Promise<Response>) {
  return new AuthClient({
    url: 'http://localhost:1/auth/v1',
    persistSession: false,
    autoRefreshToken: false,
    fetch: authFetch(async () => answer()),
  })
}

const signIn = async (answer: () => Response) =>
  (await clientOf(answer).signInWithPassword({ email: 'ada@acme.test', password: 'x' })).error

describe('a failure of the auth server', () => {
  it.each([
    ['an empty 500', () => new Response('', { status: 500 }), 500, ''],
    ['a 500 of an empty object', () => Response.json({}, { status: 500 }), 500, ''],
    ['a 400 of an empty object', () => Response.json({}, { status: 400 }), 400, ''],
    ['an empty 400', () => new Response('', { status: 400 }), 400, ''],
    ['a page of a proxy', () => new Response('<h1>Bad Gateway</h1>', { status: 502 }), 502, ''],
    ['an empty 200', () => new Response('', { status: 200 }), 500, ''],
    [
      'a 500 with `msg`',
      () => Response.json({ code: 500, msg: 'Disk full' }, { status: 500 }),
      500,
      'Disk full',
    ],
    ['a 503 with `message`', () => Response.json({ message: 'Starting' }, { status: 503 }), 503, 'Starting'],
    ['a 400 with `error`', () => Response.json({ error: 'Not today' }, { status: 400 }), 400, 'Not today'],
  ])('carries its own message or an empty one: %s', async (_what, answer, status, message) => {
    expect(await signIn(answer)).toMatchObject({ status, message })
  })

  it('keeps its code', async () => {
    const body = { code: 400, error_code: 'invalid_credentials', msg: 'Invalid login credentials' }
    expect(await signIn(() => Response.json(body, { status: 400 }))).toMatchObject({
      code: 'invalid_credentials',
      message: body.msg,
    })
  })

  it('is told apart from no answer', async () => {
    const error = await signIn(() => {
      throw new TypeError('Failed to fetch')
    })
    expect(error).toMatchObject({ status: 0, message: 'Failed to fetch' })
  })
})

describe('the lifetime of a session', () => {
  afterEach(() => vi.useRealTimers())

  it.each([
    ['three hours ahead', 3 * HOUR],
    ['three hours behind', -3 * HOUR],
    ['right', 0],
  ])('counts from the arrival of its answer on a machine whose clock is %s', async (_what, shift) => {
    const serverNow = Math.floor(Date.now() / 1000)
    vi.useFakeTimers({ toFake: ['Date'], now: (serverNow + shift) * 1000 })
    const auth = clientOf(() =>
      Response.json({
        access_token: 'a.b.c',
        refresh_token: 'r',
        token_type: 'bearer',
        expires_in: HOUR,
        expires_at: serverNow + HOUR,
        user: { id: 'ada', email: 'ada@acme.test' },
      }),
    )
    const { data } = await auth.signInWithPassword({ email: 'ada@acme.test', password: 'x' })
    expect(data.session?.expires_at).toBe(serverNow + shift + HOUR)
    expect(data.user?.id).toBe('ada')
  })

  it('leaves answers of other parts of the backend alone', async () => {
    const answer = Response.json({ expires_in: 1, expires_at: 2 })
    expect(await authFetch(async () => answer)('http://localhost/rest/v1/tokens')).toBe(answer)
  })
})
