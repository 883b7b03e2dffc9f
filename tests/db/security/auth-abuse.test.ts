import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { DEMO_PASSWORD, drivers, type TestBackend, testBackend } from '../../support/backend'

type Session = { access_token: string; refresh_token: string; error_code?: string }

/** A caller: its address as a proxy of ours tells it, and the cookies it was given. */
function caller(backend: TestBackend, address = '198.51.100.7') {
  let cookie = ''
  const send = async (path: string, body: unknown, { method = 'POST', token = '' } = {}) => {
    const response = await fetch(`${backend.url}${path}`, {
      method,
      headers: {
        apikey: backend.publishableKey,
        'content-type': 'application/json',
        'x-forwarded-for': address,
        ...(cookie ? { cookie } : {}),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const set = response.headers.get('set-cookie')
    if (set) cookie = set.split(';')[0] ?? ''
    return { response, json: (await response.json().catch(() => ({}))) as Session }
  }
  return {
    send,
    cookieText: () => cookie,
    signIn: (email: string, password = DEMO_PASSWORD) =>
      send('/auth/v1/token?grant_type=password', { email, password }),
    refresh: (refresh_token: string) => send('/auth/v1/token?grant_type=refresh_token', { refresh_token }),
    get: (path: string, token: string) => send(path, null, { method: 'GET', token }),
  }
}

describe.each(drivers('sessions'))('a session on %s', (driver) => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await testBackend({
      driver,
      demo: false,
      trustedProxies: 1,
      sessionIdleDays: 7,
      sessionMaxDays: 30,
    })
  })
  afterAll(() => backend?.stop())

  async function signedIn() {
    const { id, email } = await createAccount(backend, 'Admin', await createCompany(backend))
    const person = caller(backend)
    const { json } = await person.signIn(email)
    return { id, email, person, session: json }
  }
  const events = (email: string) =>
    backend.sql<{ event: string; details: unknown }>(
      'select event, details from public.security_log where actor_email = $1 order by at, event',
      [email],
    )

  it('ends with all its tokens when a refresh token was used twice', async () => {
    const { email, person, session } = await signedIn()
    const live = await backend.client()
    await live.realtime.setAuth(session.access_token)
    const [role] = await backend.sql<{ company_id: string }>(
      `select company_id from public.user_roles r join public.profiles p on p.id = r.user_id where p.email = $1`,
      [email],
    )
    const channel = live.channel(`company:${role?.company_id}`, { config: { private: true } })
    const states: string[] = []
    await new Promise<void>((joined) => {
      channel.subscribe((state) => {
        states.push(state)
        if (state === 'SUBSCRIBED') joined()
      })
    })
    const second = (await person.refresh(session.refresh_token)).json
    const third = (await person.refresh(second.refresh_token)).json
    expect((await person.get('/rest/v1/profiles?select=id', third.access_token)).response.status).toBe(200)

    const reused = await caller(backend, '203.0.113.66').refresh(session.refresh_token)
    expect([reused.response.status, reused.json.error_code]).toEqual([400, 'refresh_token_already_used'])
    for (const { access_token } of [session, second, third])
      expect((await person.get('/rest/v1/profiles?select=id', access_token)).response.status).toBe(401)
    expect((await person.get('/auth/v1/user', third.access_token)).response.status).toBe(403)
    expect((await person.refresh(third.refresh_token)).response.status).toBe(400)
    await expect.poll(() => states).toContain('CHANNEL_ERROR')
    await live.removeAllChannels()
    expect(await events(email)).toContainEqual({
      event: 'session_revoked',
      details: { reason: 'refresh_token_reused' },
    })
  })

  it('goes on in two tabs that renew it at the same moment, again and again', async () => {
    const { person, session } = await signedIn()
    let newest = session
    for (let round = 0; round < 3; round++) {
      const tabs = await Promise.all([0, 1].map(() => person.refresh(newest.refresh_token)))
      expect(tabs.map(({ response }) => response.status)).toEqual([200, 200])
      for (const { json } of tabs)
        expect((await person.get('/rest/v1/profiles?select=id', json.access_token)).response.status).toBe(200)
      newest = tabs[round % 2]?.json ?? session
    }
  })

  it('says no, and does not fail, when it ends while it is renewed', async () => {
    for (let round = 0; round < 5; round++) {
      const { person, session } = await signedIn()
      const second = (await person.refresh(session.refresh_token)).json
      const third = (await person.refresh(second.refresh_token)).json
      const answers = await Promise.all([
        caller(backend, '203.0.113.67').refresh(session.refresh_token),
        person.refresh(third.refresh_token),
      ])
      for (const { response } of answers) expect([200, 400]).toContain(response.status)
    }
  })

  it('is not renewed after a week without use, nor after a month in any case', async () => {
    const idle = await signedIn()
    await backend.sql(
      `update auth.sessions set refreshed_at = now() - interval '6 days' where user_id = $1`,
      [idle.id],
    )
    const renewed = await idle.person.refresh(idle.session.refresh_token)
    expect(renewed.response.status).toBe(200)
    await backend.sql(
      `update auth.sessions set refreshed_at = now() - interval '169 hours' where user_id = $1`,
      [idle.id],
    )
    const late = await idle.person.refresh(renewed.json.refresh_token)
    expect([late.response.status, late.json.error_code]).toEqual([400, 'session_expired'])

    const old = await signedIn()
    const [made] = await backend.sql<{ days: number }>(
      `select extract(epoch from not_after - created_at)::float8 / 86400 as days from auth.sessions where user_id = $1`,
      [old.id],
    )
    expect(made?.days).toBeCloseTo(30, 1)
    await backend.sql('update auth.sessions set not_after = now() where user_id = $1', [old.id])
    expect(
      (await old.person.get('/rest/v1/profiles?select=id', old.session.access_token)).response.status,
    ).toBe(401)
    const over = await old.person.refresh(old.session.refresh_token)
    expect([over.response.status, over.json.error_code]).toEqual([400, 'session_expired'])
  })

  it('leaves its sign-in, its password change and its end in the security log', async () => {
    const { email, person, session } = await signedIn()
    const token = session.access_token
    await person.send('/auth/v1/user', { password: 'Fresh-Console-2027' }, { method: 'PUT', token })
    await person.send('/auth/v1/logout', {}, { token })
    expect((await events(email)).map(({ event }) => event)).toEqual([
      'sign_in',
      'password_changed',
      'sign_out',
    ])
  })

  it('begins the same way for lite: the user, the shape and the renewal are GoTrue’s', async () => {
    const { id, email, session } = await signedIn()
    expect(session).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      weak_password: null,
      user: { id, email, aud: 'authenticated', role: 'authenticated' },
    })
  })

  describe('whether an address has an account', () => {
    /** The statements a request runs, which is what its time is made of. */
    const trace = async (run: () => Promise<unknown>) => {
      const tables = ['public.failed_login_attempts', 'public.security_log', 'app.mail_outbox']
      const counts = async () => {
        const rows = await Promise.all(
          tables.map((table) => backend.sql<{ n: number }>(`select count(*)::int as n from ${table}`)),
        )
        return rows.map(([row]) => row?.n ?? 0)
      }
      const before = await counts()
      await run()
      const after = await counts()
      return after.map((count, index) => count - (before[index] ?? 0))
    }

    it('changes neither the answer nor the work of a wrong password', async () => {
      const { email } = await createAccount(backend, 'Admin', await createCompany(backend))
      const stranger = caller(backend)
      const answers: unknown[] = []
      const work: unknown[] = []
      for (const address of [email, `${crypto.randomUUID()}@nowhere.example`])
        work.push(
          await trace(async () => {
            const { response, json } = await stranger.signIn(address, 'wrong')
            answers.push([response.status, json])
          }),
        )
      expect(answers[0]).toEqual(answers[1])
      expect(work).toEqual([
        [1, 1, 0],
        [1, 1, 0],
      ])
    })

    it('changes neither the answer nor the work of a forgotten password', async () => {
      const { email } = await createAccount(backend, 'Admin', await createCompany(backend))
      const answers: unknown[] = []
      const work: unknown[] = []
      for (const address of [email, `${crypto.randomUUID()}@nowhere.example`])
        work.push(
          await trace(async () => {
            const { response, json } = await caller(backend).send('/auth/v1/recover', { email: address })
            answers.push([response.status, json])
          }),
        )
      expect(answers[0]).toEqual(answers[1])
      expect(work).toEqual([
        [0, 1, 1],
        [0, 1, 1],
      ])
      const outcomes = await backend.sql<{ status: string }>('select status from app.mail_outbox order by id')
      expect(outcomes.slice(-2).map(({ status }) => status)).toEqual(['sent', 'dropped'])
    })
  })

  it('answers whatever is sent to its routes with something below 500', async () => {
    const { session } = await signedIn()
    const strange = fc.oneof(
      fc.constantFrom<unknown>(null, true, 0, '', [], {}, '\u0000', '\ud800', 'a'.repeat(5000), ['x'], {
        a: { b: null },
      }),
      fc.string({ unit: 'binary' }),
      fc.jsonValue(),
    )
    const names = [
      'email',
      'password',
      'refresh_token',
      'token',
      'token_hash',
      'type',
      'scope',
      'data',
      'nonce',
    ]
    const body = fc.oneof(
      fc
        .record(Object.fromEntries(names.map((name) => [name, strange])), { requiredKeys: [] })
        .map((value) => JSON.stringify(value)),
      fc.record({ type: fc.constant('recovery'), token_hash: strange }).map((value) => JSON.stringify(value)),
      fc.record({ email: fc.constant('a@b.test'), password: strange }).map((value) => JSON.stringify(value)),
      fc.constantFrom('null', '[]', '"x"', '{', '', '{"email":"\\ud800@b.test","password":"x"}'),
    )
    const route = fc.constantFrom<[string, string, boolean]>(
      ['POST', '/auth/v1/token?grant_type=password', false],
      ['POST', '/auth/v1/token?grant_type=refresh_token', false],
      ['POST', '/auth/v1/token?grant_type[]=x', false],
      ['POST', '/auth/v1/recover', false],
      ['POST', '/auth/v1/verify', false],
      ['POST', '/auth/v1/logout?scope=others', true],
      ['POST', '/auth/v1/logout?scope=%00', true],
      ['PUT', '/auth/v1/user', true],
      ['PUT', '/auth/v1/user', false],
    )
    await fc.assert(
      fc.asyncProperty(route, body, async ([method, path, isSignedIn], text) => {
        const token = isSignedIn ? session.access_token : ''
        const { response } = await caller(backend).send(path, text, { method, token })
        expect(response.status, `${method} ${path} ${text}`).toBeLessThan(500)
      }),
      { numRuns: process.env.THOROUGH === '1' ? 150 : 60, seed: 2026 },
    )
  })

  it.each([
    ['no password', '/auth/v1/token?grant_type=password', { email: 'a@b.test', password: null }, 400],
    ['a number for an address', '/auth/v1/token?grant_type=password', { email: 7, password: 'x' }, 400],
    ['a list', '/auth/v1/token?grant_type=password', [], 400],
    ['half a character', '/auth/v1/recover', '{"email":"\\ud800@b.test"}', 400],
    ['a NUL in a link', '/auth/v1/verify', { type: 'recovery', token_hash: '\u0000' }, 400],
    ['a number for a link', '/auth/v1/verify', { type: 'recovery', token_hash: 7 }, 400],
    ['no refresh token', '/auth/v1/token?grant_type=refresh_token', { refresh_token: null }, 400],
  ])('says what is wrong with %s as GoTrue does', async (_what, path, body, status) => {
    const { response, json } = await caller(backend).send(path, body)
    expect(response.status).toBe(status)
    expect(json).toMatchObject({ code: status, error_code: expect.any(String), msg: expect.any(String) })
  })
})

describe('limits of sign-in', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await testBackend({ driver: 'pglite', demo: false, trustedProxies: 1, rateLimitFactor: 0.2 })
  })
  afterAll(() => backend?.stop())

  const person = async () => createAccount(backend, 'Admin', await createCompany(backend))
  /** Four wrong passwords are free at this factor, from one address as from many. */
  const guess = async (email: string, addresses: readonly string[]) => {
    const statuses: number[] = []
    for (const address of addresses)
      statuses.push((await caller(backend, address).signIn(email, 'wrong')).response.status)
    return statuses
  }
  const manyAddresses = (count: number, net = 1) =>
    Array.from({ length: count }, (_, n) => `203.0.${net}.${n + 1}`)

  it('do not make a device wait where the account signed in before, whoever guesses', async () => {
    const { email } = await person()
    const office = caller(backend, '198.51.100.1')
    expect((await office.signIn(email)).response.status).toBe(200)
    await guess(email, manyAddresses(12))
    // From the office's own address, too.
    await guess(email, Array<string>(6).fill('198.51.100.1'))
    expect((await office.signIn(email)).response.status).toBe(200)
    const { response } = await caller(backend, '198.51.100.9').signIn(email)
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('slow down guessing at one account from many addresses', async () => {
    const { email } = await person()
    const statuses = await guess(email, manyAddresses(10, 2))
    expect(statuses).toEqual([400, 400, 400, 400, 429, 429, 429, 429, 429, 429])
  })

  it('hold for a known device’s own guesses, and for its other accounts', async () => {
    const [mine, other] = [await person(), await person()]
    const device = caller(backend, '198.51.100.2')
    await device.signIn(mine.email)
    const codes: number[] = []
    for (let n = 0; n < 6; n++) codes.push((await device.signIn(mine.email, 'wrong')).response.status)
    expect(codes).toEqual([400, 400, 400, 400, 429, 429])
    await guess(other.email, manyAddresses(6, 3))
    expect((await device.signIn(other.email)).response.status).toBe(429)
  })

  it('believe no cookie but their own', async () => {
    const { email } = await person()
    const device = caller(backend, '198.51.100.3')
    const { response } = await device.signIn(email)
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^konsol_device=.*HttpOnly/)
    expect(cookie).toContain('SameSite=Strict')
    expect(cookie).not.toContain(email)
    await guess(email, manyAddresses(6, 4))
    const [head, payload, signature = ''] = device.cookieText().split('.')
    for (const forged of [`${head}.${payload}.${'A'.repeat(signature.length)}`, 'konsol_device=x']) {
      const answer = await fetch(`${backend.url}/auth/v1/token?grant_type=password`, {
        method: 'POST',
        headers: { apikey: backend.publishableKey, cookie: forged, 'x-forwarded-for': '198.51.100.4' },
        body: JSON.stringify({ email, password: DEMO_PASSWORD }),
      })
      expect(answer.status).toBe(429)
    }
    // As an access token it opens nothing.
    const token = device.cookieText().slice('konsol_device='.length)
    expect((await device.get('/auth/v1/user', token)).response.status).toBe(403)
  })

  it('leave the link of a forgotten password to a device that is known', async () => {
    const { email } = await person()
    const home = caller(backend, '198.51.100.5')
    await home.signIn(email)
    for (const address of manyAddresses(3, 5))
      await caller(backend, address).send('/auth/v1/recover', { email })
    expect((await caller(backend, '203.0.5.9').send('/auth/v1/recover', { email })).response.status).toBe(429)
    expect((await home.send('/auth/v1/recover', { email })).response.status).toBe(200)
  })

  it('keep few reports of failed sign-ins from one address', async () => {
    const report = (address: string) =>
      caller(backend, address).send('/rest/v1/failed_login_attempts', {
        user_email: `${crypto.randomUUID()}@x.example`,
        ip_address: 'browser',
        user_agent: 'x',
        failure_reason: 'y',
      })
    const statuses: number[] = []
    for (let n = 0; n < 8; n++) statuses.push((await report('203.0.6.1')).response.status)
    expect(statuses).toEqual([201, 201, 201, 201, 201, 201, 429, 429])
    expect((await report('203.0.6.2')).response.status).toBe(201)
  })
})
