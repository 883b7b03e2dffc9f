import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser, insertInto, literal, updateOf, type Values } from '../support/as-user'

interface Settings {
  preferences: { resource: string; columns: unknown; density: string }[]
  views: { id: string; name: string; is_mine: boolean; is_default: boolean; state: unknown }[]
}

describe.each(drivers())('saved views on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let other: string
  const people: Record<
    'admin' | 'colleague' | 'teknik' | 'stranger' | 'expired' | 'platform',
    { id: string; email: string }
  > = {
    admin: { id: '', email: '' },
    colleague: { id: '', email: '' },
    teknik: { id: '', email: '' },
    stranger: { id: '', email: '' },
    expired: { id: '', email: '' },
    platform: { id: '', email: '' },
  }

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    company = await createCompany(backend)
    other = await createCompany(backend)
    const ended = await createCompany(backend, { status: 'Expired', endsIn: '-1 day' })
    people.admin = await createAccount(backend, 'Admin', company)
    people.colleague = await createAccount(backend, 'Admin', company)
    people.teknik = await createAccount(backend, 'Teknik', company)
    people.stranger = await createAccount(backend, 'Admin', other)
    people.expired = await createAccount(backend, 'Admin', ended)
    people.platform = await createAccount(backend, 'Super Admin', null)
  })
  afterAll(() => backend?.stop())

  let kept = 0
  const keep = async (values: Values): Promise<string> => {
    const [row] = await backend.sql<{ id: string }>(
      `${insertInto('saved_views', { resource: 'devices', name: `View ${++kept}`, state: {}, ...values })} returning id`,
    )
    return row?.id ?? ''
  }
  const add = (values: Values) => insertInto('saved_views', { resource: 'devices', name: 'Tried', ...values })
  const shared = { scope: 'company', company_id: '' }
  const sees = async (who: keyof typeof people, id: string) =>
    (await as(people[who].id, `select 1 from public.saved_views where id = ${literal(id)}`)).rows === 1
  const row = async (id: string) =>
    (await backend.sql('select name, scope, is_default from public.saved_views where id = $1', [id]))[0]

  it('are one’s own: nobody else sees, changes or deletes them, not even a Super Admin', async () => {
    const id = await keep({ owner: people.admin.id })
    expect(await sees('admin', id)).toBe(true)
    for (const who of ['colleague', 'teknik', 'stranger', 'platform'] as const) {
      expect([who, await sees(who, id)]).toEqual([who, false])
      expect((await as(people[who].id, updateOf('saved_views', { name: 'Taken' }, { id }))).rows).toBe(0)
      expect(
        (await as(people[who].id, `delete from public.saved_views where id = ${literal(id)}`)).rows,
      ).toBe(0)
    }
  })

  it('are kept under no other name and no other company', async () => {
    const teknik = people.teknik.id
    expect((await as(teknik, add({}))).rows).toBe(1)
    expect((await as(teknik, add({ owner: people.admin.id }))).code).toBe('42501')
    const mine = await keep({ owner: teknik })
    expect((await as(teknik, updateOf('saved_views', { owner: people.admin.id }, { id: mine }))).code).toBe(
      '42501',
    )
    for (const attempt of [
      add({ ...shared, company_id: other }),
      add({ scope: 'role', role: 'Admin', company_id: other }),
    ])
      expect((await as(people.admin.id, attempt)).code).toBe('42501')
    const own = await keep({ owner: people.admin.id })
    const moved = updateOf('saved_views', { scope: 'company', company_id: other }, { id: own })
    expect((await as(people.admin.id, moved)).code).toBe('42501')
  })

  it('are shared with the company by those who may share, and no other company sees them', async () => {
    const denied = await as(people.teknik.id, add({ ...shared, company_id: company }))
    expect([denied.code, denied.hint]).toEqual(['42501', 'role'])
    expect((await as(people.admin.id, add({ ...shared, company_id: company }))).rows).toBe(1)
    const id = await keep({ owner: people.admin.id, ...shared, company_id: company })
    for (const who of ['admin', 'colleague', 'teknik'] as const)
      expect([who, await sees(who, id)]).toEqual([who, true])
    for (const who of ['stranger', 'expired', 'platform'] as const)
      expect([who, await sees(who, id)]).toEqual([who, false])
  })

  it('for a role are seen by that role alone, and by who made them', async () => {
    const id = await keep({ owner: people.admin.id, scope: 'role', role: 'Teknik', company_id: company })
    const foreign = await keep({
      owner: people.stranger.id,
      scope: 'role',
      role: 'Teknik',
      company_id: other,
    })
    expect(await sees('teknik', id)).toBe(true)
    expect(await sees('admin', id)).toBe(true)
    expect(await sees('colleague', id)).toBe(false)
    expect(await sees('teknik', foreign)).toBe(false)
  })

  it('that are shared are kept in order by everybody who may share, and by nobody else', async () => {
    const id = await keep({ owner: people.admin.id, ...shared, company_id: company })
    const rename = updateOf('saved_views', { name: 'Renamed' }, { id })
    expect((await as(people.colleague.id, rename)).rows).toBe(1)
    expect((await as(people.teknik.id, rename)).rows).toBe(0)
    expect((await as(people.stranger.id, rename)).rows).toBe(0)
    // Taken out of the company's hands only by its owner.
    const unshare = updateOf('saved_views', { scope: 'mine', company_id: null }, { id })
    expect((await as(people.colleague.id, unshare)).code).toBe('42501')
    expect((await as(people.admin.id, unshare)).rows).toBe(1)
    const remove = `delete from public.saved_views where id = ${literal(id)}`
    expect((await as(people.teknik.id, remove)).rows).toBe(0)
    expect((await as(people.colleague.id, remove)).rows).toBe(1)
  })

  it('stay writable when the license has ended; sharing does not', async () => {
    const { id } = people.expired
    const [own] = await backend.sql<{ id: string }>(
      'select company_id as id from public.user_roles where user_id = $1',
      [id],
    )
    expect((await as(id, add({}))).rows).toBe(1)
    expect((await as(id, insertInto('list_preferences', { resource: 'devices' }))).rows).toBe(1)
    const denied = await as(id, add({ ...shared, company_id: own?.id }))
    expect([denied.code, denied.hint]).toEqual(['42501', 'read-only'])
  })

  it('follow their owner to another company, the shared ones stay', async () => {
    const mover = await createAccount(backend, 'Admin', company)
    const mine = await keep({ owner: mover.id })
    const left = await keep({ owner: mover.id, ...shared, company_id: company })
    await backend.sql('update public.user_roles set company_id = $2 where user_id = $1', [mover.id, other])
    const seen = await as(mover.id, `select id from public.saved_views where owner = ${literal(mover.id)}`)
    expect(seen.data?.map(({ id }) => id)).toEqual([mine])
    expect(await sees('teknik', left)).toBe(true)
  })

  it('have one default a circle: a new one takes the place of the old', async () => {
    const resource = 'groups'
    const circle = { resource, is_default: true }
    const mine = await keep({ owner: people.admin.id, ...circle })
    const company1 = await keep({ owner: people.colleague.id, ...circle, ...shared, company_id: company })
    const forTeknik = { scope: 'role', role: 'Teknik', company_id: company }
    const role1 = await keep({ owner: people.colleague.id, ...circle, ...forTeknik })
    const defaults = `select id from public.saved_views where resource = 'groups' and is_default order by created_at, id`
    const after = async (statement: string) =>
      (await as(people.admin.id, statement, defaults)).probe?.map(({ id }) => id)
    const replaced = async (statement: string, gone: string) => {
      const ids = await after(statement)
      expect(ids).toHaveLength(3)
      expect(ids).not.toContain(gone)
    }
    await replaced(add(circle), mine)
    await replaced(add({ ...circle, ...shared, company_id: company }), company1)
    // The replacement works where the old one is a colleague's for a role that one does not hold.
    await replaced(add({ ...circle, ...forTeknik }), role1)
    expect((await row(mine))?.is_default).toBe(true)
  })

  it('lose their place to no stranger', async () => {
    const id = await keep({
      owner: people.admin.id,
      resource: 'jobs',
      is_default: true,
      ...shared,
      company_id: company,
    })
    const probe = `select is_default from public.saved_views where id = ${literal(id)}`
    for (const who of ['stranger', 'teknik', 'expired'] as const) {
      const attempt = add({ resource: 'jobs', is_default: true, ...shared, company_id: company })
      const answer = await as(people[who].id, attempt, probe)
      expect([who, answer.code, answer.probe]).toEqual([who, '42501', [{ is_default: true }]])
    }
  })

  it('by a Super Admin reach the company they are shared with', async () => {
    expect((await as(people.platform.id, add({}))).rows).toBe(1)
    expect((await as(people.platform.id, add({ ...shared, company_id: company }))).rows).toBe(1)
    const id = await keep({ owner: people.platform.id, ...shared, company_id: company })
    expect(await sees('teknik', id)).toBe(true)
    expect(await sees('platform', id)).toBe(true)
    expect(await sees('stranger', id)).toBe(false)
  })

  it('have one name a person and list, however it is written', async () => {
    await keep({ owner: people.admin.id, name: 'Işık' })
    for (const name of ['Işık', ' ıŞIK ']) {
      const again = await as(people.admin.id, add({ name }))
      expect(again.code).toBe('23505')
    }
    for (const values of [{ name: 'Işık', resource: 'tickets' }, { name: 'Işıl' }])
      expect((await as(people.admin.id, add(values))).code).toBeUndefined()
    expect((await as(people.colleague.id, add({ name: 'Işık' }))).code).toBeUndefined()
    const id = await keep({ owner: people.admin.id })
    expect((await as(people.admin.id, updateOf('saved_views', { name: 'işık' }, { id }))).code).toBe('23505')
  })

  it('are small, named and of one circle', async () => {
    const refused = async (values: Values) => (await as(people.admin.id, add(values))).code
    expect(await refused({ state: { query: 'x'.repeat(8200) } })).toBe('23514')
    expect(await refused({ state: [] })).toBe('23514')
    expect(await refused({ name: '  ' })).toBe('23514')
    expect(await refused({ name: 'x'.repeat(81) })).toBe('23514')
    expect(await refused({ resource: 'devices; drop' })).toBe('23514')
    expect(await refused({ company_id: company })).toBe('23514')
    expect(await refused({ scope: 'role', company_id: company })).toBe('23514')
    expect(await refused({ scope: 'everybody', company_id: company })).toBe('23514')
  })

  describe('over the API', () => {
    let admin: SupabaseClient
    let stranger: SupabaseClient
    beforeAll(async () => {
      admin = await backend.client(people.admin.email)
      stranger = await backend.client(people.stranger.email)
    })
    const settings = async (client: SupabaseClient) =>
      (await client.rpc('my_list_settings')).data as unknown as Settings

    it('come with the preferences in one request, one’s own marked', async () => {
      const made = await admin
        .from('saved_views')
        .insert({ resource: 'policies', name: 'İlk', state: { query: 'q=x' } })
        .select('*')
        .single()
      expect(made.error).toBeNull()
      const mine = (await settings(admin)).views.find(({ id }) => id === made.data?.id)
      expect(mine).toMatchObject({ name: 'İlk', is_mine: true, is_default: false, state: { query: 'q=x' } })
      expect((await settings(stranger)).views.some(({ id }) => id === made.data?.id)).toBe(false)
      const anonymous = await (await backend.client()).rpc('my_list_settings')
      expect(anonymous.data).toBeNull()
      expect(anonymous.error?.code).toBe('42501')
    })

    it('preferences are kept once a list, and nobody else’s', async () => {
      const keepPreference = (client: SupabaseClient, values: Values) =>
        client.from('list_preferences').upsert(values, { onConflict: 'user_id,resource' }).select('resource')
      const columns = [{ field: 'name', width: 200 }]
      for (const density of ['compact', 'comfortable', 'compact'])
        expect((await keepPreference(admin, { resource: 'policies', columns, density })).error).toBeNull()
      await keepPreference(stranger, { resource: 'policies', columns: null, density: 'comfortable' })
      expect((await settings(admin)).preferences).toEqual([
        { resource: 'policies', columns, density: 'compact' },
      ])
      expect((await settings(stranger)).preferences).toEqual([
        { resource: 'policies', columns: null, density: 'comfortable' },
      ])
      const forged = await keepPreference(stranger, {
        user_id: people.admin.id,
        resource: 'policies',
        density: 'comfortable',
      })
      expect(forged.error?.code).toBe('42501')
      expect((await settings(admin)).preferences[0]?.density).toBe('compact')
    })

    it('count their version, so that two changes do not silently become one', async () => {
      const made = await admin
        .from('saved_views')
        .insert({ resource: 'policies', name: 'Two' })
        .select('*')
        .single()
      const rename = (name: string) =>
        admin.from('saved_views').update({ name }).eq('id', made.data?.id).eq('version', 1).select('version')
      expect((await rename('First')).data).toEqual([{ version: 2 }])
      expect((await rename('Second')).data).toEqual([])
    })
  })
})
