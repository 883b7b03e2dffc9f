import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Account, createAccount, createCompany } from '../../support/accounts'
import { policiesOf } from '../../support/added-roles'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser } from '../support/as-user'
import { type Ear, listen } from '../support/live-ears'

const FIELD_AUDITOR = `
g, Field Auditor, Teknik
g, Field Auditor, read-only
p, Field Auditor, tickets, list, deny
p, Field Auditor, tickets, show, deny
p, Field Auditor, tickets, export, deny`

const STAFF_DESK = [
  ...['list', 'show', 'create', 'edit'].flatMap((verb) => [`users, ${verb}`, `user_roles, ${verb}`]),
  'profiles, list',
]
  .map((line) => `p, Staff Desk, ${line}, allow`)
  .join('\n')

const OWNER = 'g, Owner, Admin\np, Owner, companies, delete, allow'

const ADDED = { 'field-auditor.csv': FIELD_AUDITOR, 'staff-desk.csv': STAFF_DESK, 'owner.csv': OWNER }

describe.each(drivers())('roles made by configuration, on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let apply: ReturnType<typeof policiesOf>
  let company: string
  let other: string
  let auditor: Account
  let admin: Account
  let desk: Account

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    apply = policiesOf(backend)
    await apply(ADDED)
    company = await createCompany(backend)
    other = await createCompany(backend)
    admin = await createAccount(backend, 'Admin', company)
    auditor = await createAccount(backend, 'Field Auditor', company)
    desk = await createAccount(backend, 'Staff Desk', company)
  })
  afterAll(async () => {
    await backend.sql(`delete from auth.users where id in (
      select user_id from public.user_roles where role in ('Field Auditor', 'Staff Desk', 'Owner'))`)
    await apply({})
    await backend.stop()
  })

  const includes = async (role: string) =>
    (
      await backend.sql<{ included: string }>(
        'select included from app.role_include where role = $1 order by included',
        [role],
      )
    ).map(({ included }) => included)

  describe('a role includes', () => {
    it.each([
      ['Standard', ['Standard']],
      ['Teknik', ['Field Auditor', 'Standard', 'Teknik']],
      ['Admin', ['Admin', 'Field Auditor', 'Staff Desk', 'Standard', 'Teknik']],
      ['Owner', ['Admin', 'Field Auditor', 'Owner', 'Staff Desk', 'Standard', 'Teknik']],
      ['Super Admin', ['Admin', 'Field Auditor', 'Owner', 'Staff Desk', 'Standard', 'Super Admin', 'Teknik']],
      ['Field Auditor', ['Field Auditor']],
      ['Staff Desk', ['Staff Desk']],
    ])('%s: %j, by its lines alone', async (role, included) => {
      expect(await includes(role)).toEqual(included)
    })
  })

  describe('somebody with a new role', () => {
    let client: SupabaseClient
    let device: string
    beforeAll(async () => {
      client = await backend.client(auditor.email)
      const rows = await backend.sql<{ id: string }>(
        `insert into public.devices (company_id, name) values ($1, 'own'), ($2, 'foreign') returning id`,
        [company, other],
      )
      device = rows[0]?.id ?? ''
    })

    it('signs in and reads what the lines allow, of their own company', async () => {
      const { data } = await client.from('devices').select('name')
      expect(data).toEqual([{ name: 'own' }])
      const policy = (await client.rpc('my_policy')).data as Record<string, unknown>
      expect(policy).toMatchObject({ role: 'Field Auditor', roles: ['Field Auditor'], companyId: company })
      expect((await client.from('tickets').select('id')).data).toEqual([])
    })

    it('is refused what the lines deny, with the reason', async () => {
      const { error, status } = await client.from('devices').update({ name: 'x' }).eq('id', device)
      expect([status, error?.code, error?.hint]).toEqual([403, '42501', 'role'])
      const change = { role: 'Admin' }
      expect((await client.from('user_roles').update(change).eq('user_id', auditor.id)).error?.hint).toBe(
        'role',
      )
    })

    it('hears that permission lines changed, and nothing more of a table that they closed', async () => {
      const standard = await backend.client((await createAccount(backend, 'Standard', company)).email)
      for (const each of [client, standard]) await each.realtime.setAuth()
      const [own, other] = [
        await listen(client, `company:${company}`),
        await listen(standard, `company:${company}`),
      ]
      const touch = () =>
        backend.sql(`update public.devices set notes = notes || '.' where id = $1`, [device])
      const heard = ({ heard }: Ear, table: string) => heard.filter((change) => change.table === table).length
      const expectHeard = async (ear: Ear, table: string, count: number) =>
        expect.poll(() => heard(ear, table)).toBe(count)
      await touch()
      await expectHeard(own, 'devices', 1)
      await apply({
        ...ADDED,
        'field-auditor.csv': `${FIELD_AUDITOR}\np, Field Auditor, devices, list, deny`,
      })
      await expectHeard(other, 'policy_rule', 1)
      await touch()
      await apply(ADDED)
      await expectHeard(own, 'policy_rule', 2)
      expect(heard(own, 'devices')).toBe(1)
      for (const each of [client, standard]) await each.removeAllChannels()
    })
  })

  describe('is given', () => {
    const give = (person: () => string, role: string) =>
      `update public.user_roles set role = '${role}' where user_id = '${person()}'`
    const ofAuditor = () => auditor.id

    it.each([
      ['an Admin, one made by configuration', () => admin.id, 'Staff Desk'],
      ['an Admin, one of the specification', () => admin.id, 'Standard'],
    ])('by %s', async (_who, actor, role) => {
      expect(await as(actor(), give(ofAuditor, role))).toMatchObject({ rows: 1 })
    })

    it.each([
      ['above the own', () => admin.id, 'Owner'],
      ['of the platform', () => admin.id, 'Super Admin'],
      ['that nobody configured', () => admin.id, 'Nobody'],
      ['with a permission that the own lacks', () => desk.id, 'Standard'],
      ['that may do more, to oneself', () => desk.id, 'Admin'],
    ])('not a role %s', async (_what, actor, role) => {
      const person = role === 'Admin' ? () => desk.id : ofAuditor
      expect(await as(actor(), give(person, role))).toMatchObject({ code: '42501', hint: 'role' })
    })

    it('to a new account, which gets its invitation', async () => {
      const add = (role: string, email: string) =>
        `insert into public.users (name, email, role) values ('Yeni Kişi', '${email}', '${role}')`
      const role = (email: string) =>
        `select r.role, r.company_id from public.user_roles r join public.profiles p on p.id = r.user_id where p.email = '${email}'`
      expect(await as(desk.id, add('Staff Desk', 'desk@roles.test'), role('desk@roles.test'))).toMatchObject({
        rows: 1,
        probe: [{ role: 'Staff Desk', company_id: company }],
      })
      expect(await as(desk.id, add('Teknik', 'more@roles.test'), role('more@roles.test'))).toMatchObject({
        code: '42501',
        probe: [],
      })
    })

    it('only as configured: a Super Admin cannot make one up', async () => {
      const { id } = await createAccount(backend, 'Super Admin', null)
      expect(await as(id, give(ofAuditor, 'Nobody'))).toMatchObject({ code: '23503' })
      for (const statement of [
        `insert into app.role values ('Nobody')`,
        `delete from app.role_include where true`,
      ])
        expect(await as(id, statement)).toMatchObject({ code: '42501' })
      await backend.sql('delete from auth.users where id = $1', [id])
    })
  })

  it('a role that includes Admin keeps the company when its last Admin goes, and no other does', async () => {
    const leave = `update public.user_roles set role = 'Standard' where user_id = '${admin.id}'`
    expect(await as(admin.id, leave)).toMatchObject({ code: '23514', constraint: 'user_roles_last_admin' })
    const owner = await createAccount(backend, 'Owner', company)
    expect(await as(admin.id, leave)).toMatchObject({ rows: 1 })
    expect(await as(owner.id, `select id from public.users`)).toMatchObject({ rows: 5 })
  })

  it('notifications reach the roles that may act on them', async () => {
    const ending = await createCompany(backend, { endsIn: '5 days' })
    const people = new Map<string, string>()
    for (const role of ['Admin', 'Owner', 'Teknik', 'Field Auditor', 'Staff Desk'])
      people.set((await createAccount(backend, role, ending)).id, role)
    await backend.sql('select app.notify_licenses()')
    const told = await backend.sql<{ user_id: string }>(
      `select user_id from public.notifications where company_id = $1 and kind = 'license_expiring'`,
      [ending],
    )
    expect(told.map(({ user_id }) => people.get(user_id)).sort()).toEqual(['Admin', 'Owner'])
  })

  it('a role that accounts have is not removed; without them it is, and a view shared with it stays with its owner', async () => {
    const rest = { 'staff-desk.csv': STAFF_DESK, 'owner.csv': OWNER }
    await backend.sql(
      `insert into public.saved_views (company_id, owner, resource, name, scope, role)
       values ($1, $2, 'devices', 'Audited', 'role', 'Field Auditor')`,
      [company, admin.id],
    )
    await expect(apply(rest)).rejects.toThrow(
      'the role "Field Auditor" cannot be removed: accounts with it: 2',
    )
    expect(await includes('Field Auditor')).toEqual(['Field Auditor'])
    await backend.sql(`update public.user_roles set role = 'Standard' where role = 'Field Auditor'`)
    await apply(rest)
    expect(await includes('Field Auditor')).toEqual([])
    const views = await backend.sql(
      'select scope, role, company_id from public.saved_views where owner = $1',
      [admin.id],
    )
    expect(views).toEqual([{ scope: 'mine', role: null, company_id: null }])
  })
})
