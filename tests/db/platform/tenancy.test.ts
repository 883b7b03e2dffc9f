import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser } from '../support/as-user'

describe.each(drivers())('companies and people on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let other: string
  let superAdmin: string
  let admin: string
  let teknik: string
  let stranger: string

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    company = await createCompany(backend)
    other = await createCompany(backend)
    superAdmin = (await createAccount(backend, 'Super Admin', null)).id
    admin = (await createAccount(backend, 'Admin', company)).id
    teknik = (await createAccount(backend, 'Teknik', company)).id
    stranger = (await createAccount(backend, 'Standard', other)).id
  })
  afterAll(() => backend?.stop())

  const setRole = (who: string, role: string) =>
    `update public.user_roles set role = '${role}' where user_id = '${who}'`
  const give = (who: string, role: string, to: string | null) =>
    `insert into public.user_roles (user_id, role, company_id) values ('${who}', '${role}', ${to ? `'${to}'` : 'null'})`

  it('an Admin gives roles up to their own, inside their company', async () => {
    const { id: newcomer } = await createAccount(backend, null, null)
    for (const role of ['Admin', 'Teknik', 'Standard'])
      expect(await as(admin, give(newcomer, role, company))).toMatchObject({ rows: 1 })
    expect(await as(admin, setRole(teknik, 'Admin'))).toMatchObject({ rows: 1 })
    expect(await as(admin, give(newcomer, 'Super Admin', null))).toMatchObject({
      code: '42501',
      hint: 'role',
    })
    // For another company, row-level security answers, whatever the role.
    expect(await as(admin, give(newcomer, 'Standard', other))).toMatchObject({ code: '42501', hint: '' })
    expect(
      await as(
        admin,
        `update public.user_roles set role = 'Super Admin', company_id = null where user_id = '${teknik}'`,
      ),
    ).toMatchObject({ code: '42501' })
    expect(
      await as(admin, `update public.user_roles set company_id = '${other}' where user_id = '${teknik}'`),
    ).toMatchObject({ code: '42501' })
  })

  it('an Admin is told nothing about accounts elsewhere', async () => {
    const taken = await as(admin, give(stranger, 'Standard', company))
    const missing = await as(admin, give('00000000-0000-4000-8000-000000000000', 'Standard', company))
    expect(taken).toEqual(missing)
    expect(taken.code).toBe('42501')
    expect(await as(admin, setRole(stranger, 'Teknik'))).toMatchObject({ rows: 0 })
  })

  it('the last Admin of a company cannot leave it, nor be demoted by themself', async () => {
    const leave = `delete from public.user_roles where user_id = '${admin}'`
    for (const statement of [leave, setRole(admin, 'Standard')])
      expect(await as(admin, statement)).toMatchObject({ code: '23514', constraint: 'user_roles_last_admin' })
    const { id: second } = await createAccount(backend, 'Admin', company)
    expect(await as(admin, leave)).toMatchObject({ rows: 1 })
    expect(await as(admin, `delete from public.user_roles where user_id = '${second}'`)).toMatchObject({
      rows: 1,
    })
    await backend.sql('delete from public.user_roles where user_id = $1', [second])
    expect(await as(superAdmin, leave)).toMatchObject({ rows: 1 })
  })

  it('two last Admins who leave at the same moment leave one behind', async () => {
    const theirs = await createCompany(backend)
    const accounts = [
      await createAccount(backend, 'Admin', theirs),
      await createAccount(backend, 'Admin', theirs),
    ]
    const clients = await Promise.all(accounts.map(({ email }) => backend.client(email)))
    const answers = await Promise.all(
      clients.map((client, i) =>
        client
          .from('user_roles')
          .update({ role: 'Standard' })
          .eq('user_id', accounts[i]?.id ?? ''),
      ),
    )
    expect(answers.filter(({ error }) => error?.code === '23514')).toHaveLength(1)
    const left = await backend.sql(
      `select 1 from public.user_roles where company_id = $1 and role = 'Admin'`,
      [theirs],
    )
    expect(left).toHaveLength(1)
  })

  it('a Super Admin moves people and creates Super Admins; nothing prevents it', async () => {
    expect(
      await as(
        superAdmin,
        `update public.user_roles set company_id = '${other}' where user_id = '${teknik}'`,
      ),
    ).toMatchObject({ rows: 1 })
    expect(
      await as(
        superAdmin,
        `update public.user_roles set role = 'Super Admin', company_id = null where user_id = '${teknik}'`,
      ),
    ).toMatchObject({ rows: 1 })
    expect(await as(superAdmin, setRole(teknik, 'Super Admin'))).toMatchObject({ code: '23514' })
  })

  it('users change their own name and nothing else', async () => {
    const mine = (set: string) => `update public.profiles set ${set} where id = '${teknik}'`
    expect(await as(teknik, mine(`name = 'Çağrı Öztürk'`))).toMatchObject({ rows: 1 })
    expect(await as(teknik, mine(`email = 'other@example.test'`))).toMatchObject({ code: '42501' })
    expect(await as(teknik, mine(`name = 'x'`))).toMatchObject({ code: '23514' })
    expect(await as(teknik, `update public.profiles set name = 'Mine' where id = '${admin}'`)).toMatchObject({
      rows: 0,
    })
  })

  it('keep their own name even when the license has ended', async () => {
    const expired = await createCompany(backend, { status: 'Expired' })
    const { id } = await createAccount(backend, 'Admin', expired)
    expect(await as(id, `update public.profiles set name = 'Still me' where id = '${id}'`)).toMatchObject({
      rows: 1,
    })
  })

  it('e-mail in the profile follows the account', async () => {
    const { id } = await createAccount(backend, 'Teknik', company)
    await backend.sql(`update auth.users set email = $2 where id = $1`, [id, `moved-${id}@example.test`])
    const rows = await backend.sql(`select email from public.profiles where id = $1`, [id])
    expect(rows).toEqual([{ email: `moved-${id}@example.test` }])
  })

  it('an Admin who may edit the company still does not touch its license', async () => {
    const change = (set: string) => `update public.companies set ${set} where id = '${company}'`
    expect(await as(admin, change(`name = 'New name', timezone = 'Europe/Berlin'`))).toMatchObject({
      rows: 1,
    })
    for (const set of [
      `status = 'Suspended'`,
      `license_type = 'Basic'`,
      'license_end_date = now()',
      'seats = 5000',
    ])
      expect(await as(admin, change(set))).toMatchObject({ code: '42501', hint: 'role' })
    expect(await as(superAdmin, change('seats = 5000'))).toMatchObject({ rows: 1 })
    expect(await as(admin, `update public.companies set name = 'Mine' where id = '${other}'`)).toMatchObject({
      rows: 0,
    })
  })

  it('a company that still has people or devices cannot be deleted', async () => {
    expect(await as(superAdmin, `delete from public.companies where id = '${company}'`)).toMatchObject({
      code: '23503',
    })
    const empty = await createCompany(backend)
    expect(await as(superAdmin, `delete from public.companies where id = '${empty}'`)).toMatchObject({
      rows: 1,
    })
  })

  it('refuses a time zone that does not exist', async () => {
    expect(
      await as(
        superAdmin,
        `update public.companies set timezone = 'Europe/Atlantis' where id = '${company}'`,
      ),
    ).toMatchObject({ code: '22023' })
  })

  it('moves no row to another company, for anybody, whether that company exists or not', async () => {
    const [procedure] = await backend.sql<{ id: string }>(
      `insert into public.procedures (company_id, name, type, script) values ($1, 'Stays', 'Bash', 'true') returning id`,
      [company],
    )
    const move = (to: string) =>
      `update public.procedures set company_id = '${to}' where id = '${procedure?.id}'`
    const toReal = await as(admin, move(other))
    expect(toReal.code).toBe('42501')
    expect(toReal).toEqual(await as(admin, move('00000000-0000-4000-8000-000000000000')))
    expect(await as(superAdmin, move(other))).toMatchObject({ code: '42501' })
  })
})
