import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestBackend, testBackend } from '../support/backend'

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

  it('stop at 600 a minute, so that nobody fills the disk', async () => {
    await backend.sql(
      `insert into public.failed_login_attempts (user_email)
       select 'flood@b.test' from generate_series(1, 600 - (select count(*)::int from public.failed_login_attempts))`,
    )
    const anonymous = await backend.client()
    const { error, status } = await anonymous.from('failed_login_attempts').insert(attempt)
    expect([error?.code, status]).toEqual(['PT429', 429])
    await backend.sql(
      `update public.failed_login_attempts set created_at = now() - interval '61 seconds' where true`,
    )
    expect((await anonymous.from('failed_login_attempts').insert(attempt)).error).toBeNull()
  })
})
