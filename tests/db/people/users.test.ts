import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Account, createAccount, createCompany } from '../../support/accounts'
import { DEMO_PASSWORD, drivers, plainClient, type TestBackend, testBackend } from '../../support/backend'
import { type AsUser, asUser } from '../support/as-user'

const NOBODY = '00000000-0000-4000-8000-000000000000'

describe.each(drivers())('users on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let other: string
  let superAdmin: Account
  let admin: Account
  let teknik: Account
  let stranger: Account

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    as = await asUser(backend)
    company = await createCompany(backend)
    other = await createCompany(backend)
    superAdmin = await createAccount(backend, 'Super Admin', null)
    admin = await createAccount(backend, 'Admin', company)
    teknik = await createAccount(backend, 'Teknik', company)
    stranger = await createAccount(backend, 'Admin', other)
  })
  afterAll(() => backend?.stop())

  const add = (email: string, role: string, to: string | null, name = 'Yeni Kişi') =>
    `insert into public.users (name, email, role, company_id)
     values ('${name}', '${email}', '${role}', ${to ? `'${to}'` : 'null'})`
  const change = (id: string, set: string) => `update public.users set ${set} where id = '${id}'`
  const call = (name: string, ...ids: string[]) =>
    `select public.${name}(array['${ids.join("','")}']::uuid[]) as changed`
  const stored = (id: string) =>
    `select p.name, r.role, r.company_id, r.deactivated_at is not null as off
     from public.profiles p join public.user_roles r on r.user_id = p.id where p.id = '${id}'`
  const accountOf = (email: string) => `select 1 from auth.users where email = '${email}'`
  const tell = (code: string) => ({ code, hint: 'role' })

  it('are seen by those who may list them, in their company', async () => {
    const seen = async ({ id }: Account) => {
      const { data = [] } = await as(id, 'select id from public.users')
      return new Set(data.map((row) => row.id))
    }
    expect(await seen(admin)).toEqual(new Set([admin.id, teknik.id]))
    expect(await seen(superAdmin)).toContain(stranger.id)
    expect(await seen(teknik)).toEqual(new Set())
    expect((await as(null, 'select id from public.users')).code).toBe('42501')
    expect(await as(admin.id, `select name from public.search_users('${teknik.email}')`)).toMatchObject({
      rows: 1,
    })
    expect(await as(admin.id, `select name from public.search_users('${stranger.email}')`)).toMatchObject({
      rows: 0,
    })
  })

  describe('are added', () => {
    it('by an Admin into the own company, up to the own role', async () => {
      for (const role of ['Admin', 'Teknik', 'Standard'])
        expect(
          await as(admin.id, add('a@example.test', role, null), accountOf('a@example.test')),
        ).toMatchObject({
          rows: 1,
          probe: [{}],
        })
    })

    it.each([
      ['Super Admin', () => null],
      ['Standard', () => other],
    ])('never by an Admin as %s elsewhere', async (role, to) => {
      const tried = await as(admin.id, add('b@example.test', role, to()), accountOf('b@example.test'))
      expect(tried).toMatchObject({ ...tell('42501'), probe: [] })
    })

    it('never by who may not', async () => {
      expect(await as(teknik.id, add('c@example.test', 'Standard', company))).toMatchObject(tell('42501'))
      expect((await as(null, add('c@example.test', 'Standard', company))).code).toBe('42501')
    })

    it('by a Super Admin anywhere; a Super Admin stands outside every company', async () => {
      expect(await as(superAdmin.id, add('d@example.test', 'Admin', other))).toMatchObject({ rows: 1 })
      const company_id = `select company_id from public.user_roles where user_id in (select id from auth.users where email = 'e@example.test')`
      expect(await as(superAdmin.id, add('e@example.test', 'Super Admin', other), company_id)).toMatchObject({
        rows: 1,
        probe: [{ company_id: null }],
      })
      expect((await as(superAdmin.id, add('f@example.test', 'Admin', null))).code).toBe('23514')
    })

    it.each([
      ['a known address', () => admin.email.toUpperCase(), '23505'],
      ['no address', () => 'nobody', '23514'],
    ])('not with %s', async (_what, email, code) => {
      expect(await as(admin.id, add(email(), 'Standard', company))).toMatchObject({ code })
    })

    it('not without a name', async () => {
      expect((await as(admin.id, add('g@example.test', 'Standard', company, ' x '))).code).toBe('23514')
    })
  })

  describe('are changed', () => {
    it('by an Admin: name and role', async () => {
      expect(
        await as(admin.id, change(teknik.id, `name = ' Başka Ad ', role = 'Admin'`), stored(teknik.id)),
      ).toMatchObject({ rows: 1, probe: [{ name: 'Başka Ad', role: 'Admin', company_id: company }] })
    })

    it.each([
      ['a role above the own', () => teknik.id, () => `role = 'Super Admin'`],
      ['another company', () => teknik.id, () => `company_id = '${other}'`],
    ])('never by an Admin to %s', async (_what, id, set) => {
      const tried = await as(admin.id, change(id(), set()), stored(teknik.id))
      expect(tried).toMatchObject({ ...tell('42501'), probe: [{ role: 'Teknik', company_id: company }] })
    })

    it('never elsewhere, nor by who may not', async () => {
      expect(await as(admin.id, change(stranger.id, `name = 'Taken'`))).toMatchObject({ rows: 0 })
      expect(await as(teknik.id, change(teknik.id, `role = 'Admin'`))).toMatchObject(tell('42501'))
    })

    it('by a Super Admin to another company', async () => {
      const moved = `company_id = '${other}'`
      expect(await as(superAdmin.id, change(teknik.id, moved), stored(teknik.id))).toMatchObject({
        rows: 1,
        probe: [{ company_id: other }],
      })
    })

    it('only in the version that was read', async () => {
      const late = `${change(teknik.id, `name = 'Too late'`)} and version = 0`
      expect(await as(admin.id, late, stored(teknik.id))).toMatchObject({ rows: 0 })
    })
  })

  describe('may not sign in', () => {
    it('once deactivated: sessions end, the password opens nothing, until they are reactivated', async () => {
      const person = await createAccount(backend, 'Teknik', company)
      const session = await backend.client(person.email)
      const boss = await backend.client(admin.email)
      const ids = [person.id]
      expect((await boss.rpc('deactivate_users', { ids })).data).toBe(1)
      expect((await session.from('devices').select('id')).status).toBe(401)
      const again = await plainClient(backend.url, backend.publishableKey).auth.signInWithPassword({
        email: person.email,
        password: DEMO_PASSWORD,
      })
      expect(again.error?.code).toBe('user_banned')
      const { data } = await boss.from('users').select('id').eq('status', 'deactivated')
      expect(data).toEqual([{ id: person.id }])
      expect((await boss.rpc('reactivate_users', { ids })).data).toBe(1)
      await backend.client(person.email)
    })

    it('and their profile says so, which nobody writes, until they are reactivated', async () => {
      const company = await createCompany(backend)
      const admin = await createAccount(backend, 'Admin', company)
      const { id } = await createAccount(backend, 'Teknik', company)
      const client = await backend.client(admin.email)
      const marked = async () =>
        (await client.from('profiles').select('is_deactivated').eq('id', id)).data?.map(
          (row) => row.is_deactivated,
        )
      const audited = () =>
        backend.sql(`select 1 from public.audit_log where row_id = $1 and table_name = 'profiles'`, [id])
      const before = (await audited()).length
      expect(await marked()).toEqual([false])
      await client.rpc('deactivate_users', { ids: [id] })
      expect(await marked()).toEqual([true])
      expect((await client.from('profiles').update({ is_deactivated: false }).eq('id', id)).error?.code).toBe(
        '42501',
      )
      await client.rpc('reactivate_users', { ids: [id] })
      expect(await marked()).toEqual([false])
      expect(await audited()).toHaveLength(before)
    })

    it('by the word of somebody above them, in their company', async () => {
      for (const name of ['deactivate_users', 'reactivate_users', 'end_user_sessions']) {
        for (const id of [stranger.id, superAdmin.id, NOBODY])
          expect(await as(admin.id, call(name, teknik.id, id), stored(teknik.id))).toMatchObject({
            ...tell('42501'),
            probe: [{ off: false }],
          })
        expect(await as(teknik.id, call(name, teknik.id))).toMatchObject(tell('42501'))
        expect((await as(null, call(name, teknik.id))).code).toBe('42501')
        expect(await as(superAdmin.id, call(name, stranger.id))).toMatchObject({ rows: 1 })
      }
    })

    it('never so that a company, or the platform, has no admin left', async () => {
      const last = { code: '23514', constraint: 'user_roles_last_admin' }
      expect(await as(admin.id, call('deactivate_users', admin.id))).toMatchObject(last)
      expect(await as(superAdmin.id, call('deactivate_users', superAdmin.id))).toMatchObject(last)
      expect(await as(admin.id, change(admin.id, `role = 'Standard'`))).toMatchObject(last)
      const second = await createAccount(backend, 'Admin', company)
      expect(await as(admin.id, call('deactivate_users', admin.id), stored(admin.id))).toMatchObject({
        probe: [{ off: true }],
      })
      expect(await as(admin.id, call('deactivate_users', admin.id, second.id))).toMatchObject(last)
      // Whoever cannot sign in is no admin that is left.
      await backend.sql(`update public.user_roles set deactivated_at = now() where user_id = $1`, [second.id])
      expect(await as(admin.id, change(admin.id, `role = 'Standard'`))).toMatchObject(last)
    })
  })

  it('are deleted by nobody', async () => {
    const clients = [
      await backend.client((await createAccount(backend, 'Super Admin', null)).email),
      await backend.client(),
    ]
    for (const client of clients) {
      const answer = await client.from('users').delete().eq('email', 'nobody@example.test')
      expect(answer.error?.code).toBe('42501')
      expect(answer.status).toBeLessThan(404)
    }
  })

  it('are signed out everywhere on request', async () => {
    const person = await createAccount(backend, 'Standard', company)
    const sessions = [await backend.client(person.email), await backend.client(person.email)]
    const boss = await backend.client(admin.email)
    expect((await boss.rpc('end_user_sessions', { ids: [person.id] })).data).toBe(2)
    for (const session of sessions) expect((await session.from('profiles').select('id')).status).toBe(401)
  })

  it('set their password once, by the link that is mailed to them', async () => {
    const boss = await backend.client(admin.email)
    const made = await boss
      .from('users')
      .insert({ name: 'İlk Giriş', email: 'First.Time@example.test', role: 'Teknik' })
      .select(
        'id,name,email,role,company_id,status,version,company_id_row:companies!user_roles_company_id_fkey(id)',
      )
    expect(made.data?.[0]).toMatchObject({
      name: 'İlk Giriş',
      email: 'first.time@example.test',
      company_id: company,
      status: 'invited',
      company_id_row: { id: company },
    })
    await expect.poll(() => linkTo('first.time@example.test')).not.toBe('')
    const token = await linkTo('first.time@example.test')
    expect(await statusOf('first.time@example.test')).toEqual({ status: 'invited', invitation_mail: 'sent' })
    const person = plainClient(backend.url, backend.publishableKey)
    const open = (client: SupabaseClient) => client.auth.verifyOtp({ token_hash: token, type: 'recovery' })
    expect((await open(person)).error).toBeNull()
    expect(await statusOf('first.time@example.test')).toEqual({ status: 'active', invitation_mail: null })
    expect((await person.auth.updateUser({ password: 'Mine-alone-2026' })).error).toBeNull()
    const signedIn = await backend.client('first.time@example.test', 'Mine-alone-2026')
    expect((await signedIn.from('user_roles').select('role')).data).toEqual([{ role: 'Teknik' }])
    expect((await open(plainClient(backend.url, backend.publishableKey))).error).not.toBeNull()
  })

  it('are mailed their invitation with the account, or neither', async () => {
    const queued = `select kind, email from app.mail_outbox where email = 'both@example.test'`
    const made = await as(admin.id, add('both@example.test', 'Standard', company), queued)
    expect(made.probe).toEqual([{ kind: 'invitation', email: 'both@example.test' }])
    // `as` has taken the account back, and its mail with it.
    expect(await backend.sql(queued)).toEqual([])
  })

  it('get another link from those who may invite, once while one waits, and none when deactivated', async () => {
    const person = await createAccount(backend, 'Standard', company)
    const kind = `select kind from app.mail_outbox where email = '${person.email}'`
    const send = call('send_password_links', person.id)
    expect(await as(admin.id, send, kind)).toMatchObject({
      data: [{ changed: 1 }],
      probe: [{ kind: 'recovery' }],
    })
    await backend.sql('update public.user_roles set invited_at = now() where user_id = $1', [person.id])
    expect((await as(admin.id, send, kind)).probe).toEqual([{ kind: 'invitation' }])
    await backend.sql('update public.user_roles set deactivated_at = now() where user_id = $1', [person.id])
    expect(await as(admin.id, send, kind)).toMatchObject({ data: [{ changed: 0 }], probe: [] })
    for (const { id } of [teknik, stranger])
      expect(await as(id, send, kind)).toMatchObject({ code: '42501', probe: [] })
    expect((await as(null, send, kind)).code).toBe('42501')
    const twice = `select app.queue_mail('recovery', 'wait@example.test') as first, app.queue_mail('recovery', 'Wait@example.test') as second`
    expect(await backend.sql(twice)).toEqual([{ first: true, second: false }])
  })

  it('are sent five links an hour by all who may, and whoever asks for another is told', async () => {
    const person = await createAccount(backend, 'Standard', company)
    const colleague = await createAccount(backend, 'Standard', company)
    const second = await createAccount(backend, 'Admin', company)
    const clients = [await backend.client(admin.email), await backend.client(second.email)]
    const send = (n: number, ids = [person.id]) =>
      clients[n % 2]?.rpc('send_password_links', { ids }).then(({ data, error }) => data ?? error)
    const sent = (email: string) => backend.mails().filter(({ to }) => to === email).length
    // Mails that were asked for without a session keep nobody from sending one.
    for (let n = 0; n < 6; n++)
      await backend.sql(`insert into app.mail_outbox (kind, email, status) values ('recovery', $1, 'sent')`, [
        person.email,
      ])
    for (let n = 0; n < 5; n++) {
      expect(await send(n)).toBe(1)
      await expect.poll(() => sent(person.email)).toBe(n + 1)
    }
    const refusal = {
      code: '23514',
      hint: 'links_too_many',
      details: `{"email": "${person.email}"}`,
    }
    for (const ids of [[person.id], [person.id, colleague.id]])
      for (const n of [0, 1]) expect(await send(n, ids)).toMatchObject(refusal)
    expect([sent(person.email), sent(colleague.email)]).toEqual([5, 0])
    expect(await send(0, [colleague.id])).toBe(1)
    await backend.sql(
      `update app.mail_outbox set created_at = now() - interval '61 minutes' where email = $1`,
      [person.email],
    )
    expect(await send(0)).toBe(1)
  })

  const statusOf = async (email: string) => {
    const boss = await backend.client(admin.email)
    return (await boss.from('users').select('status,invitation_mail').eq('email', email).single()).data
  }

  async function linkTo(email: string): Promise<string> {
    const mail = backend.mails().find(({ to }) => to === email)
    return /token_hash=([^&\s"]+)/.exec(mail?.text ?? '')?.[1] ?? ''
  }

  it('have their changes told, to those who may list them', async () => {
    const boss = await backend.client(admin.email)
    await boss.from('users').update({ name: 'Yeni Ad' }).eq('id', teknik.id)
    const activity = `select table_name, action, changes from public.record_activity('users', '${teknik.id}')`
    const told = await as(admin.id, activity)
    expect(told.data?.[0]).toMatchObject({ table_name: 'profiles', action: 'edit' })
    expect(told.data?.[0]?.changes).toMatchObject({ name: [expect.any(String), 'Yeni Ad'] })
    for (const { id } of [teknik, stranger]) expect((await as(id, activity)).rows).toBe(0)
    const before = `select 1 from public.record_activity('users', '${teknik.id}', '2000-01-01')`
    expect((await as(admin.id, before)).rows).toBe(0)
  })
})
