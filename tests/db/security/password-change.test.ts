import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../support/accounts'
import { type TestBackend, testBackend } from '../../support/backend'

const OLD = 'Demo-Console-2026'
const NEW = 'Fresh-Console-2027'

let backend: TestBackend
beforeAll(async () => {
  // Guesses run into the limits that users have.
  backend = await testBackend({ rateLimitFactor: 1 })
})
afterAll(() => backend?.stop())

/** Signed in, by default an hour ago. */
async function person(since = '1 hour') {
  const { id, email } = await createAccount(backend, null, null)
  const client = await backend.client(email, OLD)
  const token = (await client.auth.getSession()).data.session?.access_token ?? ''
  await backend.sql('update auth.sessions set created_at = now() - $2::text::interval where user_id = $1', [
    id,
    since,
  ])
  return { id, email, client, token }
}

/** As a thief of the token would send it. */
async function change(token: string, body: Record<string, unknown>) {
  const response = await fetch(`${backend.url}/auth/v1/user`, {
    method: 'PUT',
    headers: {
      apikey: backend.publishableKey,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  const { error_code: code = null, weak_password: weak = null } = (await response.json()) as {
    error_code?: string
    weak_password?: { reasons: string[] }
  }
  return { status: response.status, code, reasons: weak?.reasons }
}

async function recoverySession(email: string) {
  const client = await backend.client()
  await client.auth.resetPasswordForEmail(email)
  const mail = backend.mails().findLast((each) => each.to === email)
  const hash = new URL(mail?.link ?? '').searchParams.get('token_hash') ?? ''
  const { data } = await client.auth.verifyOtp({ token_hash: hash, type: 'recovery' })
  return data.session?.access_token ?? ''
}

describe('a password', () => {
  it('is not changed by an access token alone', async () => {
    const { email, token } = await person('6 minutes')
    expect(await change(token, { password: NEW })).toMatchObject({
      status: 422,
      code: 'current_password_required',
    })
    expect(await change(token, { password: NEW, current_password: 'Guessed-Console-1' })).toMatchObject({
      status: 422,
      code: 'current_password_mismatch',
    })
    expect(await change(token, { password: NEW, current_password: 7 })).toMatchObject({ status: 400 })
    await backend.client(email, OLD)
  })

  it('is not changed by a token in another spelling, which the libraries behind us read as the same', async () => {
    const { email, token } = await person('6 minutes')
    const [head, tail] = [token.slice(0, -5), token.slice(-5)]
    const spellings = [`${head} ${tail}`, `${head}\t${tail}`, `${token}=`, `${token}, ${token}`, `${token} x`]
    for (const spelling of spellings)
      for (const body of [{ password: NEW }, { password: 'sunshine' }, { data: { name: 'Thief' } }])
        expect([spelling.length, await change(spelling, body)]).toMatchObject([
          spelling.length,
          { status: 401, code: 'no_authorization' },
        ])
    await backend.client(email, OLD)
  })

  it('is changed with the current one, which ends the other sessions', async () => {
    const { email, token, client } = await person()
    const elsewhere = await backend.client(email, OLD)
    expect((await client.auth.updateUser({ password: NEW, current_password: OLD })).error).toBeNull()
    expect((await elsewhere.auth.getUser()).error).not.toBeNull()
    await backend.client(email, NEW)
    expect(await change(token, { password: OLD, current_password: OLD })).toMatchObject({
      code: 'current_password_mismatch',
    })
  })

  it('is changed without the current one within five minutes of signing in, and never with a wrong one', async () => {
    const { email, token } = await person('4 minutes')
    expect(await change(token, { password: NEW, current_password: 'Guessed-Console-1' })).toMatchObject({
      code: 'current_password_mismatch',
    })
    expect(await change(token, { password: NEW })).toMatchObject({ status: 200 })
    await backend.client(email, NEW)
  })

  it('is not changed by renewing a session', async () => {
    const { client } = await person()
    await client.auth.refreshSession()
    expect((await client.auth.updateUser({ password: NEW })).error?.code).toBe('current_password_required')
  })

  it('is set once by a mailed link, whatever was refused before', async () => {
    const { email } = await person()
    const token = await recoverySession(email)
    expect(await change(token, { password: 'short' })).toMatchObject({ code: 'weak_password' })
    expect(await change(token, { password: OLD })).toMatchObject({ code: 'same_password' })
    expect(await change(token, { password: 'sunshine' })).toMatchObject({ reasons: ['pwned'] })
    expect(await change(token, { password: NEW })).toMatchObject({ status: 200 })
    expect(await change(token, { password: 'Third-Console-2028' })).toMatchObject({
      code: 'current_password_required',
    })
    await backend.client(email, NEW)
  })

  it('is set by one of two requests of a mailed link at the same moment', async () => {
    const { email } = await person()
    const token = await recoverySession(email)
    const answers = await Promise.all([
      change(token, { password: NEW }),
      change(token, { password: 'Third-Console-2028' }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
  })

  it('guessed at with a stolen token runs into the limit of sign-ins, and into the security log', async () => {
    const { email, token } = await person()
    const codes = new Set<string | null>()
    for (let n = 0; n < 22; n++)
      codes.add((await change(token, { password: NEW, current_password: `Guessed-Console-${n}` })).code)
    expect([...codes]).toEqual(['current_password_mismatch', 'over_request_rate_limit'])
    const [row] = await backend.sql<{ occurrences: number; reason: string }>(
      `select occurrences, details ->> 'reason' as reason from public.security_log
       where actor_email = $1 and event = 'sign_in_failed'`,
      [email],
    )
    expect(row?.reason).toBe('Wrong current password')
    expect(row?.occurrences).toBe(20)
  })
})

describe('an address', () => {
  it('is changed by nobody who is signed in, however recently', async () => {
    const { id, email, token } = await person('1 minute')
    for (const body of [
      { email: 'thief@elsewhere.test' },
      { email: '', current_password: OLD },
      { phone: '1' },
    ])
      expect(await change(token, body)).toMatchObject({ status: 422, code: 'email_change_disabled' })
    expect(await backend.sql('select email, email_change from auth.users where id = $1', [id])).toMatchObject(
      [{ email }],
    )
  })
})
