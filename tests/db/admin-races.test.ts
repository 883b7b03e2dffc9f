import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Account, createAccount, createCompany } from '../support/accounts'
import { drivers, type TestBackend, testBackend } from '../support/backend'

type Admin = Account & { client: SupabaseClient }
type Removal = (by: Admin, other: Admin) => PromiseLike<unknown>

const viaUsers: Removal = (by, other) =>
  by.client.from('users').update({ role: 'Teknik' }).eq('id', other.id).select('id')
const viaRoles: Removal = (by, other) =>
  by.client.from('user_roles').update({ role: 'Teknik' }).eq('user_id', other.id)
const byDelete: Removal = (by, other) => by.client.from('user_roles').delete().eq('user_id', other.id)
const byDeactivation: Removal = (by, other) => by.client.rpc('deactivate_users', { ids: [other.id] })

const PAIRS: [name: string, one: Removal, other: Removal][] = [
  ['demote each other in the list', viaUsers, viaUsers],
  ['demote each other by their roles', viaRoles, viaRoles],
  ['delete each other’s role', byDelete, byDelete],
  ['deactivate each other', byDeactivation, byDeactivation],
  ['demote and deactivate each other', viaUsers, byDeactivation],
  ['demote each other, one in the list', viaUsers, viaRoles],
]

/** PGlite runs one statement after the other: only PostgreSQL can show a race. */
describe.each(drivers().filter((driver) => driver === 'postgres'))('two admins at once on %s', (driver) => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
  })
  afterAll(() => backend?.stop())

  async function admin(role: string, company: string | null): Promise<Admin> {
    const account = await createAccount(backend, role, company)
    return { ...account, client: await backend.client(account.email) }
  }
  const activeAdmins = async (pair: Admin[]) =>
    (
      await backend.sql(
        `select 1 from public.user_roles
         where user_id = any ($1) and role in ('Admin', 'Super Admin') and deactivated_at is null`,
        [pair.map(({ id }) => id)],
      )
    ).length

  it.each(PAIRS)('of a company: one stays when they %s', async (_name, one, other) => {
    for (let round = 0; round < 2; round++) {
      const company = await createCompany(backend)
      const [first, second] = [await admin('Admin', company), await admin('Admin', company)]
      await Promise.all([one(first, second), other(second, first)])
      expect(await activeAdmins([first, second])).toBe(1)
    }
  })

  it('of the platform: one Super Admin stays', async () => {
    const company = await createCompany(backend)
    for (const demote of [viaUsers, viaRoles]) {
      await backend.sql(`delete from public.user_roles where role = 'Super Admin'`)
      const [first, second] = [await admin('Super Admin', null), await admin('Super Admin', null)]
      const toAdmin: Removal = (by, target) =>
        by.client
          .from(demote === viaUsers ? 'users' : 'user_roles')
          .update({ role: 'Admin', company_id: company })
          .eq(demote === viaUsers ? 'id' : 'user_id', target.id)
      await Promise.all([toAdmin(first, second), toAdmin(second, first)])
      const left = await backend.sql(
        `select 1 from public.user_roles where user_id = any ($1) and role = 'Super Admin'`,
        [[first.id, second.id]],
      )
      expect(left).toHaveLength(1)
    }
  })
})
