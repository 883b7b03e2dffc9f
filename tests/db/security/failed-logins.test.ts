import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestBackend, testBackend } from '../../support/backend'

describe('failed_login_attempts', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await testBackend()
    await backend.sql('delete from public.failed_login_attempts where true')
  })
  afterAll(() => backend?.stop())

  const attempt = {
    user_email: 'a@b.test',
    ip_address: 'browser',
    user_agent: 'x',
    failure_reason: 'Invalid login credentials',
  }

  it('are written by anybody and read by nobody but a Super Admin', async () => {
    const anonymous = await backend.client()
    expect((await anonymous.from('failed_login_attempts').insert(attempt)).error).toBeNull()
    expect((await anonymous.from('failed_login_attempts').select('id')).error?.code).toBe('42501')
    const admin = await backend.client('admin@acme.test')
    expect((await admin.from('failed_login_attempts').insert(attempt)).error).toBeNull()
    expect((await admin.from('failed_login_attempts').select('id')).data).toEqual([])
    const all = await backend.client('super@demo.test')
    expect((await all.from('failed_login_attempts').select('user_email')).data).toHaveLength(2)
  })

  it('hold four short columns, and their time is the server’s', async () => {
    const anonymous = await backend.client()
    const insert = async (values: Record<string, unknown>) =>
      (await anonymous.from('failed_login_attempts').insert(values)).error?.code
    expect(await insert({ ...attempt, created_at: '2020-01-01' })).toBe('42501')
    expect(await insert({ ...attempt, id: '00000000-0000-4000-8000-000000000000' })).toBe('42501')
    expect(await insert({ ...attempt, user_agent: 'x'.repeat(513) })).toBe('23514')
    expect(await insert({ ...attempt, failure_reason: 'x'.repeat(501) })).toBe('23514')
    expect(await insert({ ...attempt, user_email: '' })).toBe('23514')
    // The row policy speaks before the constraint does.
    expect(['42501', '23514']).toContain(await insert({ ...attempt, user_email: 'x'.repeat(256) }))
  })

  const insert = async (values: Partial<typeof attempt>) =>
    (await backend.client()).from('failed_login_attempts').insert({ ...attempt, ...values })
  const rowsOf = (email: string) =>
    backend.sql<{ source: string; attempts: number }>(
      'select source, attempts from public.failed_login_attempts where user_email = $1 order by attempts',
      [email],
    )

  it('are recorded by the server when a wrong password is sent straight to it, once for repeats', async () => {
    const client = await backend.client()
    for (const email of ['admin@acme.test', 'nobody@nowhere.test']) {
      for (let n = 0; n < 3; n++)
        expect((await client.auth.signInWithPassword({ email, password: 'wrong' })).error?.status).toBe(400)
      expect(await rowsOf(email)).toEqual([{ source: 'server', attempts: 3 }])
      // The sign-in page's later report is known already.
      expect((await insert({ user_email: email })).status).toBe(201)
      expect(await rowsOf(email)).toHaveLength(1)
    }
    const [row] = await backend.sql(
      `select ip_address, failure_reason from public.failed_login_attempts where user_email = 'admin@acme.test'`,
    )
    expect(row).toEqual({ ip_address: '127.0.0.1', failure_reason: 'Invalid login credentials' })
  })

  it.each([
    ['none', {}],
    ['a null', { failure_reason: null }],
    ['blanks', { failure_reason: '  ' }],
    ['an empty object', { failure_reason: '{}' }],
  ])('have a reason where the report had %s', async (what, reason) => {
    const user_email = `${what.replace(' ', '-')}@reason.test`
    const client = await backend.client()
    const report = { user_email, ip_address: 'browser', user_agent: 'x', ...reason }
    expect((await client.from('failed_login_attempts').insert(report)).error).toBeNull()
    expect(
      await backend.sql('select failure_reason from public.failed_login_attempts where user_email = $1', [
        user_email,
      ]),
    ).toEqual([{ failure_reason: 'Login failed' }])
  })

  it('nobody claims to be the server', async () => {
    const client = await backend.client()
    const { error } = await client.from('failed_login_attempts').insert({ ...attempt, source: 'server' })
    expect(error?.code).toBe('42501')
  })

  it('reported for one account again and again are counted in five rows', async () => {
    for (let n = 0; n < 8; n++) expect((await insert({ user_email: 'many@b.test' })).status).toBe(201)
    expect((await rowsOf('many@b.test')).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 4])
  })

  it('reported by the hundred fill no log and refuse no real one', async () => {
    await backend.sql(
      `insert into public.failed_login_attempts (user_email) select n || '@flood.test' from generate_series(1, 1000) as n`,
    )
    const reports = `select count(*)::int as n from public.failed_login_attempts where source = 'browser'`
    expect(await backend.sql(reports)).toEqual([{ n: 600 }])
    expect((await insert({ user_email: 'one-more@flood.test' })).status).toBe(201)
    expect(await backend.sql(reports)).toEqual([{ n: 600 }])
    const client = await backend.client()
    const real = await client.auth.signInWithPassword({ email: 'real@acme.test', password: 'wrong' })
    expect(real.error?.code).toBe('invalid_credentials')
    expect(await rowsOf('real@acme.test')).toEqual([{ source: 'server', attempts: 1 }])
    await backend.sql(
      `update public.failed_login_attempts set last_at = now() - interval '61 minutes' where true`,
    )
    expect((await insert({ user_email: 'later@flood.test' })).status).toBe(201)
    expect(await rowsOf('later@flood.test')).toHaveLength(1)
  })
})
