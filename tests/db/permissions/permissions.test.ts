import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'

describe.each(drivers())('on %s', (driver) => {
  let backend: TestBackend
  let acme: string
  let ended: string
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    acme = await createCompany(backend)
    ended = await createCompany(backend, { endsIn: '-1 second' })
  })
  afterAll(() => backend.stop())

  async function signedIn(
    role: string,
    company: string | null,
  ): Promise<SupabaseClient & { userId: string }> {
    const { id, email } = await createAccount(backend, role, company)
    return Object.assign(await backend.client(email), { userId: id })
  }

  async function createGroup(company: string): Promise<string> {
    const [row] = await backend.sql<{ id: string }>(
      `insert into public.groups (company_id, name) values ($1, 'Group ' || gen_random_uuid()) returning id`,
      [company],
    )
    return row?.id ?? ''
  }

  const nameOf = async (id: string) =>
    (await backend.sql<{ name: string }>('select name from public.groups where id = $1', [id]))[0]?.name

  describe('a write that the policies deny', () => {
    it.each([
      ['Teknik', 'role', () => acme],
      ['Standard', 'role', () => acme],
      ['Admin', 'read-only', () => ended],
    ] as const)(
      'of %s answers 403 with 42501 and its reason "%s", and deletes nothing',
      async (role, reason, company) => {
        const id = await createGroup(company())
        const client = await signedIn(role, company())
        const { error, status } = await client.from('groups').delete().eq('id', id)
        expect({ status, code: error?.code, hint: error?.hint }).toEqual({
          status: 403,
          code: '42501',
          hint: reason,
        })
        expect(await nameOf(id)).toBeDefined()
      },
    )

    it('is refused for update and insert too, and leaves the row as it was', async () => {
      const id = await createGroup(ended)
      const before = await nameOf(id)
      const client = await signedIn('Admin', ended)
      const update = await client.from('groups').update({ name: 'changed' }).eq('id', id)
      expect([update.status, update.error?.code, update.error?.hint]).toEqual([403, '42501', 'read-only'])
      const insert = await client.from('groups').insert({ company_id: ended, name: 'new' })
      expect([insert.status, insert.error?.code, insert.error?.hint]).toEqual([403, '42501', 'read-only'])
      expect(await nameOf(id)).toBe(before)
      expect(await backend.sql(`select 1 from public.groups where name in ('new', 'changed')`)).toEqual([])
    })

    it('is refused even when it would match no row: silence is never taken for success', async () => {
      const client = await signedIn('Teknik', acme)
      const { error } = await client.from('groups').delete().eq('id', crypto.randomUUID())
      expect(error?.code).toBe('42501')
    })

    it('says nothing about whether a row of another company exists', async () => {
      const client = await signedIn('Admin', acme)
      const theirs = await createGroup(ended)
      const answers = []
      for (const id of [theirs, crypto.randomUUID()]) {
        const { data, error, status } = await client
          .from('groups')
          .update({ name: 'x' })
          .eq('id', id)
          .select()
        answers.push({ data, error, status })
      }
      expect(answers[0]).toEqual(answers[1])
      expect(answers[0]?.data).toEqual([])
    })
  })

  describe('rights follow the moment, not the token', () => {
    it('a license that ends closes writing at once, and one renewed opens it', async () => {
      const company = await createCompany(backend, { endsIn: '1 hour' })
      const client = await signedIn('Admin', company)
      const insert = () => client.from('groups').insert({ company_id: company, name: crypto.randomUUID() })
      expect((await insert()).error).toBeNull()
      await backend.sql(`update public.companies set license_end_date = now() where id = $1`, [company])
      expect((await insert()).error?.hint).toBe('read-only')
      expect((await client.from('groups').select('id')).data).toHaveLength(1)
      await backend.sql(`update public.companies set license_end_date = null where id = $1`, [company])
      expect((await insert()).error).toBeNull()
    })

    it('a changed role counts from the next request', async () => {
      const client = await signedIn('Admin', acme)
      expect((await client.from('groups').delete().eq('id', crypto.randomUUID())).error).toBeNull()
      await backend.sql(`update public.user_roles set role = 'Teknik' where user_id = $1`, [client.userId])
      expect((await client.from('groups').delete().eq('id', crypto.randomUUID())).error?.hint).toBe('role')
    })

    it.each([
      ['the session was ended', (id: string) => backend.sql('select app.end_sessions($1)', [id])],
      [
        'the account is banned',
        (id: string) =>
          backend.sql(`update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [id]),
      ],
      [
        'the role was taken',
        (id: string) => backend.sql('delete from public.user_roles where user_id = $1', [id]),
      ],
    ])('a token that is still valid is worth nothing when %s', async (_what, end) => {
      await createGroup(acme)
      const client = await signedIn('Admin', acme)
      expect((await client.from('groups').select('id')).data).not.toEqual([])
      await end(client.userId)
      expect((await client.from('groups').select('id')).data ?? []).toEqual([])
      expect((await client.from('groups').insert({ company_id: acme, name: 'late' })).error).not.toBeNull()
      expect((await client.from('companies').select('id')).data ?? []).toEqual([])
    })
  })

  describe('the evaluator', () => {
    it('cannot be reached, read or changed through the API', async () => {
      for (const client of [await backend.client(), await signedIn('Super Admin', null)]) {
        for (const name of ['policy_rule', 'permission', 'role_closure']) {
          expect((await client.from(name).select('*')).error).not.toBeNull()
          expect((await client.schema('app').from(name).select('*')).error).not.toBeNull()
        }
        for (const name of ['can', 'why_not', 'allows', 'held_roles', 'require'])
          expect((await client.rpc(name, { resource: 'devices', action: 'list' })).error).not.toBeNull()
      }
    })

    it('is closed to API roles but for what policies and triggers ask', async () => {
      const open = await backend.sql<{ name: string }>(
        `select p.proname as name from pg_catalog.pg_proc p
       where p.pronamespace = 'app'::regnamespace and has_function_privilege('authenticated', p.oid, 'execute')
         and p.proname = any ($1) order by 1`,
        [['allows', 'held_roles', 'rebuild_permissions', 'require_permission']],
      )
      expect(open).toEqual([])
    })

    it('follows the lines as they change, roles that inherit in a circle included', async () => {
      const asked = async (role: string) =>
        (
          await backend.sql<{ verdict: boolean }>(
            `select app.allows(array[$1], 'devices', 'list') as verdict`,
            [role],
          )
        )[0]?.verdict
      expect(await asked('Chief')).toBe(false)
      await backend.sql(
        `insert into app.policy_rule values ('g', 'Chief', 'Deputy'), ('g', 'Deputy', 'Admin')`,
      )
      expect(await asked('Chief')).toBe(true)
      await backend.sql(`insert into app.policy_rule values ('g', 'Deputy', 'Chief')`)
      expect(await asked('Deputy')).toBe(true)
      await backend.sql(`insert into app.policy_rule values ('p', 'Deputy', 'devices', 'list', 'deny')`)
      expect(await asked('Chief')).toBe(false)
      await backend.sql(`delete from app.policy_rule where v0 in ('Chief', 'Deputy')`)
      expect(await asked('Chief')).toBe(false)
      expect(await asked('Admin')).toBe(true)
    })

    it('refuses lines that mean nothing', async () => {
      for (const line of [
        `('p', 'Admin', 'devices', 'list', 'maybe')`,
        `('p', 'Admin', 'devices', '', 'allow')`,
        `('g', 'Admin', 'Teknik', 'extra', '')`,
        `('x', 'Admin', 'devices', 'list', 'allow')`,
      ])
        await expect(backend.sql(`insert into app.policy_rule values ${line}`)).rejects.toThrow()
    })
  })
})
