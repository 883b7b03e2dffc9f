import type { SupabaseClient } from '@supabase/supabase-js'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Account, createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { eventually } from '../../support/eventually'

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
describe.each(drivers('locks').filter((driver) => driver === 'postgres'))(
  'two admins at once on %s',
  (driver) => {
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

    /** Starts the requests while another transaction holds the company's lock, and ends a session before they go on. */
    async function whileLocked(company: string, leaver: Admin, requests: (() => PromiseLike<unknown>)[]) {
      const holder = postgres(backend.databaseUrl ?? '', { max: 1 })
      try {
        let answers: Promise<unknown>[] = []
        await holder.begin(async (sql) => {
          await sql`select app.lock_admins(${company})`
          answers = requests.map(async (request) => request())
          await eventually(async () => {
            const waiting = await backend.sql(
              `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            )
            expect(waiting).toHaveLength(requests.length)
          })
          await backend.sql('delete from auth.sessions where user_id = $1', [leaver.id])
        })
        return await Promise.all(answers)
      } finally {
        await holder.end()
      }
    }
    const roleOf = async ({ id }: Admin) =>
      (await backend.sql('select role from public.user_roles where user_id = $1', [id]))[0]?.role

    it.each(['Super Admin', 'Teknik'])('who signs out during the wait is not made %s', async (role) => {
      const company = await createCompany(backend)
      const [leaver] = [await admin('Admin', company), await admin('Admin', company)]
      const [answer] = await whileLocked(company, leaver, [
        () => leaver.client.from('users').update({ role }).eq('id', leaver.id).select('id'),
      ])
      expect(answer).toMatchObject({ error: { code: '42501' } })
      expect(await roleOf(leaver)).toBe('Admin')
    })

    it.each([0, 1])(
      'of a company: one stays when one deactivates, one demotes in bulk and session %i ends',
      async (who) => {
        const company = await createCompany(backend)
        const [first, second] = [await admin('Admin', company), await admin('Admin', company)]
        await whileLocked(company, who ? second : first, [
          () => byDeactivation(first, second),
          () =>
            second.client.rpc('bulk_edit', {
              resource: 'users',
              ids: [first.id],
              changes: { role: 'Teknik' },
            }),
        ])
        expect(await activeAdmins([first, second])).toBeGreaterThanOrEqual(1)
      },
    )

    it('refuses every guard to a claimed user without a session', async () => {
      const company = await createCompany(backend)
      const leaver = await admin('Admin', company)
      const holder = postgres(backend.databaseUrl ?? '', { max: 1 })
      try {
        const claim = (statement: string) =>
          holder.begin(async (sql) => {
            await sql`select set_config('request.jwt.claim.sub', ${leaver.id}, true),
            set_config('request.jwt.claims', ${JSON.stringify({ sub: leaver.id, session_id: crypto.randomUUID() })}, true)`
            await sql.unsafe(statement)
          })
        for (const statement of [
          `update public.user_roles set role = 'Super Admin', company_id = null where user_id = '${leaver.id}'`,
          `select app.require_reach(array['${leaver.id}']::uuid[])`,
          `insert into public.groups (company_id, name) values ('${company}', 'Unnamed')`,
          `set local app.quiet = on; select app.quiet()`,
        ])
          await expect(claim(statement)).rejects.toMatchObject({ code: '42501', hint: 'session' })
      } finally {
        await holder.end()
      }
    })
  },
)
