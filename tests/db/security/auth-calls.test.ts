import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEMO_PASSWORD, plainClient, type TestBackend, testBackend } from '../../support/backend'

let backend: TestBackend
beforeAll(async () => {
  backend = await testBackend()
})
afterAll(() => backend?.stop())

const api = (path: string, init: RequestInit & { token?: string } = {}) =>
  fetch(`${backend.url}${path}`, {
    ...init,
    headers: {
      apikey: backend.publishableKey,
      'content-type': 'application/json',
      ...(init.token ? { authorization: `Bearer ${init.token}` } : {}),
    },
  })

const post = (path: string, body: unknown, token?: string) =>
  api(path, { method: 'POST', body: JSON.stringify(body), token })

/** Past what `fetch` makes of a path. */
function rawPost(path: string, body: unknown): Promise<number> {
  const { hostname, port } = new URL(backend.url)
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        path,
        method: 'POST',
        headers: { apikey: backend.publishableKey, 'content-type': 'application/json' },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}

const mailsTo = (email: string) => backend.mails().filter((mail) => mail.to === email)

async function recoveryHash(email: string): Promise<string> {
  const client = await backend.client()
  const { error } = await client.auth.resetPasswordForEmail(email, {
    redirectTo: `${backend.url}/reset-password`,
  })
  expect(error).toBeNull()
  const mail = mailsTo(email).at(-1)
  return new URL(mail?.link ?? '').searchParams.get('token_hash') ?? ''
}

async function usersCalled(email: string): Promise<number> {
  return (await backend.sql(`select 1 from auth.users where email = $1`, [email])).length
}

/** An account no other test uses. */
async function account(email: string): Promise<string> {
  const [row] = await backend.sql<{ id: string }>(`select app.create_auth_user($1, $2) as id`, [
    email,
    DEMO_PASSWORD,
  ])
  return row?.id ?? ''
}

describe('recovery', () => {
  it('mails a link to our own page in both languages, which works once', async () => {
    await account('forgot@acme.test')
    const hash = await recoveryHash('forgot@acme.test')
    const [mail] = mailsTo('forgot@acme.test')
    expect(mail?.link.startsWith(`${backend.url}/reset-password?`)).toBe(true)
    expect(mail?.text).toContain('Bağlantı 1 saat geçerlidir')
    expect(mail?.text).toContain('valid for 1 hour')

    const client = await backend.client()
    const verified = await client.auth.verifyOtp({ token_hash: hash, type: 'recovery' })
    expect(verified.error).toBeNull()
    expect(verified.data.session?.user.email).toBe('forgot@acme.test')

    const again = await (await backend.client()).auth.verifyOtp({ token_hash: hash, type: 'recovery' })
    expect(again.error?.code).toBe('otp_expired')
  })

  it('refuses a link older than an hour', async () => {
    await account('late@acme.test')
    const hash = await recoveryHash('late@acme.test')
    await backend.sql(
      `update auth.users set recovery_sent_at = now() - interval '61 minutes' where email = 'late@acme.test'`,
    )
    const late = await (await backend.client()).auth.verifyOtp({ token_hash: hash, type: 'recovery' })
    expect(late.error?.code).toBe('otp_expired')
  })

  it('answers the same for an unknown address, and mails nobody', async () => {
    const { error } = await (await backend.client()).auth.resetPasswordForEmail('nobody@nowhere.test')
    expect(error).toBeNull()
    expect(mailsTo('nobody@nowhere.test')).toHaveLength(0)
  })

  it('ends every session of the account once the password is new', async () => {
    await account('reset@acme.test')
    const elsewhere = await backend.client('reset@acme.test')
    const client = await backend.client()
    await client.auth.verifyOtp({ token_hash: await recoveryHash('reset@acme.test'), type: 'recovery' })
    expect((await client.auth.updateUser({ password: 'short' })).error?.code).toBe('weak_password')
    expect((await client.auth.updateUser({ password: 'Fresh-Console-2027' })).error).toBeNull()
    // The caller's own session is left a moment to sign itself out.
    const [left] = await backend.sql<{ soon: boolean }>(
      `select s.not_after < now() + interval '31 seconds' as soon
       from auth.sessions s join auth.users u on u.id = s.user_id where u.email = 'reset@acme.test'`,
    )
    expect(left).toEqual({ soon: true })
    await backend.sql(`update auth.sessions set not_after = now() where not_after is not null`)
    expect((await client.from('profiles').select('id')).status).toBe(401)
    expect((await client.auth.refreshSession()).error).not.toBeNull()
    expect((await client.auth.getUser()).error?.name).toBe('AuthSessionMissingError')
    expect((await elsewhere.auth.getUser()).error?.name).toBe('AuthSessionMissingError')
    expect((await elsewhere.auth.refreshSession()).error).not.toBeNull()
    expect((await elsewhere.from('profiles').select('id')).status).toBe(401)
    await expect(backend.client('reset@acme.test')).rejects.toThrow('Invalid login credentials')
    await backend.client('reset@acme.test', 'Fresh-Console-2027')
  })
})

describe('a session', () => {
  it('stays when its own password changes, and ends everywhere else', async () => {
    await account('change@acme.test')
    const elsewhere = await backend.client('change@acme.test')
    const here = await backend.client('change@acme.test')
    expect((await here.auth.updateUser({ password: 'Fresh-Console-2027' })).error).toBeNull()
    expect((await here.auth.getUser()).error).toBeNull()
    expect((await elsewhere.auth.getUser()).error?.name).toBe('AuthSessionMissingError')
  })

  it('is refused by the API as soon as it was signed out, though its token has not expired', async () => {
    const client = await backend.client('teknik@acme.test')
    const token = (await client.auth.getSession()).data.session?.access_token
    expect((await api('/rest/v1/devices?select=id&limit=1', { token })).status).toBe(200)
    await client.auth.signOut({ scope: 'local' })
    const refused = await api('/rest/v1/devices?select=id&limit=1', { token })
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ code: 'PGRST301' })
  })

  it('does not begin for a banned account, and ends with the ban', async () => {
    const id = await account('banned@acme.test')
    const before = await backend.client('banned@acme.test')
    await backend.sql(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [id])
    expect((await before.from('profiles').select('id')).status).toBe(401)
    const { error } = await (await backend.client()).auth.signInWithPassword({
      email: 'banned@acme.test',
      password: DEMO_PASSWORD,
    })
    expect(error?.code).toBe('user_banned')
    expect((await before.auth.refreshSession()).error).not.toBeNull()
  })

  it('is renewed by its refresh token, once', async () => {
    const client = await backend.client('admin@globex.test')
    const first = (await client.auth.getSession()).data.session
    const renewed = await client.auth.refreshSession()
    expect(renewed.error).toBeNull()
    expect(renewed.data.session?.refresh_token).not.toBe(first?.refresh_token)
    expect((await client.from('devices').select('id').limit(1)).error).toBeNull()
  })

  it('is not believed when signed by another secret', async () => {
    const client = await backend.client('admin@acme.test')
    const token = (await client.auth.getSession()).data.session?.access_token ?? ''
    const [head, body] = token.split('.')
    const forged = `${head}.${body}.${'A'.repeat(43)}`
    expect((await api('/rest/v1/devices?select=id', { token: forged })).status).toBe(401)
    expect((await api('/auth/v1/user', { token: forged })).status).toBe(403)
  })
})

describe('a token in another spelling', () => {
  const routes: [method: string, path: string][] = [
    ['GET', '/auth/v1/user'],
    ['POST', '/auth/v1/logout?scope=global'],
    ['GET', '/rest/v1/devices?select=id'],
    ['POST', '/rest/v1/failed_login_attempts'],
    ['POST', '/storage/v1/object/sign/files'],
  ]
  const statuses = (authorization: string) =>
    Promise.all(
      routes.map(async ([method, path]) => {
        const headers = { apikey: backend.publishableKey, authorization, 'content-type': 'application/json' }
        const body = method === 'POST' ? { body: '{}' } : {}
        return (await fetch(`${backend.url}${path}`, { method, headers, ...body })).status
      }),
    )

  it('is refused by every route, and ends nobody’s session', async () => {
    const client = await backend.client('admin@globex.test')
    const token = (await client.auth.getSession()).data.session?.access_token ?? ''
    const blank = `${token.slice(0, -5)} ${token.slice(-5)}`
    for (const authorization of [
      `Bearer ${blank}`,
      `Bearer ${token}==`,
      `Bearer ${token}, Bearer ${token}`,
      token,
      `Basic ${token}`,
    ])
      expect([authorization.slice(0, 9), await statuses(authorization)]).toEqual([
        authorization.slice(0, 9),
        routes.map(() => 401),
      ])
    expect((await client.auth.getUser()).error).toBeNull()
    await client.realtime.setAuth(blank)
    const [own] = (await client.from('user_roles').select('company_id').limit(1)).data ?? []
    const channel = client.channel(`company:${own?.company_id}`, { config: { private: true } })
    expect(await new Promise((done) => channel.subscribe(done))).toBe('CHANNEL_ERROR')
    await client.removeAllChannels()
  })

  it('is read where only the name of the scheme is spelled otherwise', async () => {
    const client = await backend.client('admin@globex.test')
    const token = (await client.auth.getSession()).data.session?.access_token ?? ''
    for (const scheme of ['bearer', 'BEARER', 'Bearer '])
      for (const path of ['/auth/v1/user', '/rest/v1/devices?select=id&limit=1']) {
        const headers = { apikey: backend.publishableKey, authorization: `${scheme} ${token}` }
        expect([scheme, (await fetch(`${backend.url}${path}`, { headers })).status]).toEqual([scheme, 200])
      }
  })
})

describe('accounts are made by administrators alone', () => {
  it.each(['/auth/v1/signup', '/auth/v1/otp', '/auth/v1/magiclink'])('%s makes none', async (path) => {
    const email = `stranger${path.replaceAll('/', '-')}@x.test`
    const answer = await post(path, { email, password: 'Stranger-2026-x', create_user: true })
    expect(answer.status).toBe(422)
    expect(await usersCalled(email)).toBe(0)
  })

  it.each([
    '/auth/v1/%6ftp',
    '/auth/v1/%6Ftp',
    '/auth/v1/%256ftp',
    '/auth/v1//otp',
    '//auth/v1/otp',
    '/auth/v1/./otp',
    '/auth/v1/x/../otp',
    '/auth/v1/otp/',
    '/auth/v1\\otp',
    '/auth%2Fv1/otp',
    '/%61uth/v1/otp',
    '/auth/v1/otp;x=1',
    '/auth/v1/OTP',
    '/auth/v1/admin/users',
    '/_system/config',
    '/%5fsystem/config',
  ])('%s leads nowhere', async (path) => {
    const status = await rawPost(path, {
      email: 'way@round.test',
      password: 'Stranger-2026-x',
      create_user: true,
    })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(await usersCalled('way@round.test')).toBe(0)
  })

  it('does not let an account change its own address', async () => {
    const client = await backend.client('standard@acme.test')
    const { error } = await client.auth.updateUser({ email: 'mine@elsewhere.test' })
    expect(error?.status).toBe(422)
    const [row] = await backend.sql(`select email_change from auth.users where email = 'standard@acme.test'`)
    expect(row?.email_change || null).toBeNull()
  })

  it('takes only recovery links', async () => {
    const answer = await post('/auth/v1/verify', { token_hash: 'x', type: 'email_change' })
    expect(answer.status).toBe(400)
  })
})

it('asks for a key', async () => {
  const answer = await fetch(`${backend.url}/rest/v1/devices`)
  expect(answer.status).toBe(401)
  const wrong = plainClient(backend.url, 'sb_publishable_wrong')
  expect((await wrong.from('devices').select('id')).status).toBe(401)
})
