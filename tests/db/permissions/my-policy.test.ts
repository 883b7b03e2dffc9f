import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { sharedDemo } from '../../support/demo-backend'

describe.each(drivers())('on %s', (driver) => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = driver === 'pglite' ? await sharedDemo() : await testBackend({ driver })
  })
  afterAll(() => backend.stop())

  interface Answer {
    role: string | null
    companyId: string | null
    roles: string[]
    now: string
    until: string | null
    lines: string[][]
  }

  async function myPolicy(email: string): Promise<Answer> {
    const client = await backend.client(email)
    const { data, error } = await client.rpc('my_policy')
    expect(error).toBeNull()
    return data as Answer
  }

  const rolesOf = (policy: Answer) => [...new Set(policy.lines.map(([, role]) => role))].sort()

  describe('my_policy()', () => {
    it('gives a Super Admin one line and no company', async () => {
      const policy = await myPolicy('super@demo.test')
      expect(policy).toMatchObject({
        role: 'Super Admin',
        companyId: null,
        roles: ['Super Admin'],
        until: null,
      })
      expect(policy.lines).toEqual([['p', 'Super Admin', '*', '*', 'allow']])
    })

    it('gives nobody the lines of a role they do not hold', async () => {
      expect(rolesOf(await myPolicy('admin@acme.test'))).toEqual(['Admin'])
      expect(rolesOf(await myPolicy('teknik@acme.test'))).toEqual(['Teknik'])
      expect(rolesOf(await myPolicy('standard@acme.test'))).toEqual(['Standard'])
    })

    it('says until when it holds: the end of a running license, on the server’s clock', async () => {
      const policy = await myPolicy('admin@globex.test')
      const [company] = await backend.sql<{ license_end_date: string }>(
        `select license_end_date from public.companies where name = 'Globex'`,
      )
      expect(Date.parse(policy.until ?? '')).toBe(Date.parse(company?.license_end_date ?? ''))
      expect(Math.abs(Date.parse(policy.now) - Date.now())).toBeLessThan(60_000)
    })

    it('adds the license roles when the license is not good', async () => {
      const policy = await myPolicy('admin@initech.test')
      expect(policy.roles).toEqual(['Admin', 'read-only', 'without-pro'])
      expect(rolesOf(policy)).toEqual(['Admin', 'read-only', 'without-pro'])
      expect(policy.until).toBeNull()
    })

    it('is not for the anonymous', async () => {
      const client = await backend.client()
      const { error } = await client.rpc('my_policy')
      expect(error?.code).toBe('42501')
    })
  })
})
