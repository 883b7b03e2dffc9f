import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'

describe.each(drivers())('on %s', (driver) => {
  let backend: TestBackend
  let acme: string
  let globex: string
  let ended: string
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    acme = await createCompany(backend)
    globex = await createCompany(backend)
    ended = await createCompany(backend, { status: 'Expired' })
  })
  afterAll(() => backend.stop())

  interface RoleRow {
    user_id: string
    role: string
    company_id: string | null
  }
  type Person = SupabaseClient & { userId: string }

  async function signedIn(role: string | null, company: string | null): Promise<Person> {
    const { id, email } = await createAccount(backend, role, company)
    return Object.assign(await backend.client(email), { userId: id })
  }

  async function row(table: string, key: string, id: string): Promise<Record<string, unknown> | undefined> {
    return (await backend.sql(`select * from public.${table} where ${key} = $1`, [id]))[0]
  }

  /** The effect of a write on a row: its code, if any, and whether the row is as it was. */
  async function attempt(
    table: string,
    key: string,
    id: string,
    write: () => PromiseLike<{ error: { code: string } | null }>,
  ) {
    const before = await row(table, key, id)
    const { error } = await write()
    const after = await row(table, key, id)
    return { code: error?.code ?? null, unchanged: JSON.stringify(before) === JSON.stringify(after) }
  }

  describe('a role', () => {
    it.each([
      [
        'a Super Admin',
        (person: Person) => ({ user_id: person.userId, role: 'Super Admin', company_id: null }),
      ],
      [
        'an account of another company',
        (person: Person) => ({ user_id: person.userId, role: 'Admin', company_id: globex }),
      ],
    ])('an Admin makes nobody %s', async (_what, wanted) => {
      const admin = await signedIn('Admin', acme)
      await createAccount(backend, 'Admin', acme)
      for (const target of [admin, await signedIn('Teknik', acme), await signedIn(null, null)]) {
        const change: RoleRow = wanted(target)
        const update = await attempt('user_roles', 'user_id', target.userId, () =>
          admin.from('user_roles').update(change).eq('user_id', target.userId),
        )
        expect(update.unchanged).toBe(true)
        const insert = await attempt('user_roles', 'user_id', target.userId, () =>
          admin.from('user_roles').insert(change),
        )
        expect(insert.unchanged).toBe(true)
        const upsert = await attempt('user_roles', 'user_id', target.userId, () =>
          admin.from('user_roles').upsert(change),
        )
        expect(upsert.unchanged).toBe(true)
      }
    })

    it('an Admin takes nobody from another company and learns nothing of them', async () => {
      const admin = await signedIn('Admin', acme)
      const theirs = await signedIn('Standard', globex)
      const loose = await signedIn(null, null)
      const unknown = crypto.randomUUID()
      const answers = []
      for (const id of [theirs.userId, loose.userId, unknown]) {
        const read = await admin.from('user_roles').select('*').eq('user_id', id)
        const profile = await admin.from('profiles').select('*').eq('id', id)
        const update = await admin.from('user_roles').update({ role: 'Standard' }).eq('user_id', id).select()
        const remove = await admin.from('user_roles').delete().eq('user_id', id).select()
        answers.push([read.data, profile.data, update.data, update.error, remove.data, remove.error])
      }
      expect(answers[1]).toEqual(answers[0])
      expect(answers[2]).toEqual(answers[0])
      expect(await row('user_roles', 'user_id', theirs.userId)).toBeDefined()
    })

    it('an insert answers alike for an account elsewhere and one that does not exist', async () => {
      const admin = await signedIn('Admin', acme)
      const theirs = await signedIn('Standard', globex)
      const codes = []
      for (const user_id of [theirs.userId, crypto.randomUUID()]) {
        const { error } = await admin
          .from('user_roles')
          .insert({ user_id, role: 'Standard', company_id: acme })
        codes.push([error?.code, error?.message, error?.details])
      }
      expect(codes[0]).toEqual(codes[1])
    })

    it.each(['Teknik', 'Standard'])('%s changes no role, not even the own', async (role) => {
      const person = await signedIn(role, acme)
      const own = await attempt('user_roles', 'user_id', person.userId, () =>
        person.from('user_roles').update({ role: 'Admin' }).eq('user_id', person.userId),
      )
      expect(own).toEqual({ code: '42501', unchanged: true })
    })

    it('nobody says of themself that a second factor is set up', async () => {
      const admin = await signedIn('Admin', acme)
      const own = await attempt('user_roles', 'user_id', admin.userId, () =>
        admin.from('user_roles').update({ mfa_enabled: true }).eq('user_id', admin.userId),
      )
      expect(own).toEqual({ code: '42501', unchanged: true })
    })

    it('the last Admin of a company stays, whichever way out is tried', async () => {
      const company = await createCompany(backend)
      const last = await signedIn('Admin', company)
      const ways = [
        () => last.from('user_roles').delete().eq('user_id', last.userId),
        () => last.from('user_roles').update({ role: 'Standard' }).eq('user_id', last.userId),
        () => last.from('user_roles').delete().eq('company_id', company),
        () => last.from('user_roles').update({ role: 'Teknik' }).eq('company_id', company),
      ]
      for (const way of ways)
        expect((await attempt('user_roles', 'user_id', last.userId, way)).unchanged).toBe(true)
    })

    it('two Admins who remove each other and themselves leave one', async () => {
      const company = await createCompany(backend)
      const [one, two] = [await signedIn('Admin', company), await signedIn('Admin', company)]
      await one.from('user_roles').delete().eq('company_id', company)
      await two.from('user_roles').delete().eq('company_id', company)
      const left = await backend.sql(
        `select 1 from public.user_roles where company_id = $1 and role = 'Admin'`,
        [company],
      )
      expect(left.length).toBeGreaterThan(0)
    })
  })

  describe('a company', () => {
    it.each(['Admin', 'Teknik', 'Standard'])('is read whole by its own %s, and no other is', async (role) => {
      const person = await signedIn(role, acme)
      const { data } = await person.from('companies').select('*')
      expect(data?.map(({ id }) => id)).toEqual([acme])
      const license = await person
        .from('companies')
        .select('status, license_end_date, license_type')
        .eq('id', acme)
        .single()
      expect(license.data).toMatchObject({ status: 'Active', license_type: 'Pro' })
    })
  })

  describe('what belongs to a person stays open when the license has ended', () => {
    it('own notifications are marked as read; nothing else of them changes, and no others are seen', async () => {
      const person = await signedIn('Admin', ended)
      const other = await signedIn('Admin', ended)
      for (const { userId } of [person, other])
        await backend.sql(
          `insert into public.notifications (user_id, company_id, kind) values ($1, $2, 'license')`,
          [userId, ended],
        )
      const mine = await person.from('notifications').select('id')
      expect(mine.data).toHaveLength(1)
      const read = await person
        .from('notifications')
        .update({ read_at: new Date().toISOString() })
        .eq('user_id', person.userId)
        .select('read_at')
      expect(read.data?.[0]?.read_at).toBeTruthy()
      expect(
        (await person.from('notifications').update({ kind: 'x' }).eq('user_id', person.userId)).error?.code,
      ).toBe('42501')
      expect((await person.from('notifications').delete().eq('user_id', person.userId)).error?.code).toBe(
        '42501',
      )
      const theirs = await person
        .from('notifications')
        .update({ read_at: null })
        .eq('user_id', other.userId)
        .select()
      expect(theirs.data).toEqual([])
    })
  })

  describe('failed sign-ins', () => {
    const row = { user_email: 'a@b.test', ip_address: 'browser', user_agent: 'test', failure_reason: 'wrong' }

    it('are written by anybody and read by a Super Admin alone', async () => {
      const anonymous = await backend.client()
      expect((await anonymous.from('failed_login_attempts').insert(row)).error).toBeNull()
      expect((await anonymous.from('failed_login_attempts').select('*')).error?.code).toBe('42501')
      const admin = await signedIn('Admin', acme)
      expect((await admin.from('failed_login_attempts').select('*')).data ?? []).toEqual([])
      const platform = await signedIn('Super Admin', null)
      expect((await platform.from('failed_login_attempts').select('*')).data).not.toEqual([])
    })

    it('take four columns of a sane length and no others', async () => {
      const anonymous = await backend.client()
      const insert = (more: Record<string, unknown>) =>
        anonymous.from('failed_login_attempts').insert({ ...row, ...more })
      expect((await insert({ created_at: '2000-01-01' })).error?.code).toBe('42501')
      expect((await insert({ id: crypto.randomUUID() })).error?.code).toBe('42501')
      expect((await insert({ user_agent: 'x'.repeat(1_000) })).error?.code).toBe('23514')
      expect((await insert({ user_agent: 'x'.repeat(100_000) })).status).toBe(413)
      expect(
        (await anonymous.from('failed_login_attempts').delete().eq('user_email', 'a@b.test')).error?.code,
      ).toBe('42501')
    })
  })

  describe('the audit log', () => {
    it('shows nobody the rows of a table they may not list', async () => {
      const admin = await signedIn('Admin', acme)
      await admin.rpc('create_enrollment_token', { company_id: acme, name: 'Office' })
      await admin.from('groups').insert({ company_id: acme, name: crypto.randomUUID() })
      const tablesOf = async (person: Person) => {
        const { data } = await person.from('audit_log').select('table_name, company_id')
        expect(data?.filter(({ company_id }) => company_id !== acme)).toEqual([])
        return new Set(data?.map(({ table_name }) => table_name))
      }
      const all = await tablesOf(admin)
      for (const table of ['groups', 'enrollment_tokens', 'user_roles']) expect(all).toContain(table)
      const some = await tablesOf(await signedIn('Teknik', acme))
      expect(some).toContain('groups')
      for (const table of ['enrollment_tokens', 'user_roles', 'profiles']) expect(some).not.toContain(table)
      expect((await tablesOf(await signedIn('Standard', acme))).size).toBe(0)
    })
  })
})
