import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../support/backend'

describe.each(drivers())('devices of a group on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: SupabaseClient
  let stranger: SupabaseClient
  let group: string
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    company = await createCompany(backend)
    const other = await createCompany(backend)
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
    stranger = await backend.client((await createAccount(backend, 'Admin', other)).email)
    for (const owner of [company, other])
      await backend.sql(
        `insert into public.devices (company_id, name)
         select $1, case when n <= 5 then 'ANKARA-' else 'BURSA-' end || n from generate_series(1, 8) n`,
        [owner],
      )
    const made = await admin.from('groups').insert({ company_id: company, name: 'All' }).select('id').single()
    group = String(made.data?.id)
  })
  afterAll(() => backend?.stop())

  const count = async (): Promise<unknown> =>
    (await admin.from('groups').select('device_count').eq('id', group).single()).data?.device_count
  const add = (client: SupabaseClient, q: string, more: Record<string, unknown> = {}) =>
    client.rpc('add_group_candidates', { group_id: group, q, ...more })

  it('are added by search, in batches, until none is left', async () => {
    const before = await backend.sql('select version, updated_at from public.groups where id = $1', [group])
    expect((await add(admin, 'ankara', { max_devices: 3 })).data).toBe(3)
    expect(await count()).toBe(3)
    const rest = await admin
      .rpc('search_group_candidates', { group_id: group, q: 'ankara' }, { get: true, count: 'exact' })
      .select('name')
    expect(rest.count).toBe(2)
    expect((await add(admin, 'ankara')).data).toBe(2)
    expect((await add(admin, 'ankara')).data).toBe(0)
    expect(await count()).toBe(5)
    // No edit of the group: an open form stays valid.
    expect(await backend.sql('select version, updated_at from public.groups where id = $1', [group])).toEqual(
      before,
    )
  })

  it('are searched and sorted by name, also after a rename, by their own company only', async () => {
    const found = async (client: SupabaseClient, q: string) => {
      const { data } = await client
        .rpc('search_group_devices', { q }, { get: true })
        .select('device:devices(name)')
        .eq('group_id', group)
        .order('device_key')
        .throwOnError()
      return (data as unknown as { device: { name: string } }[]).map(({ device }) => device.name)
    }
    expect(await found(admin, 'ankara')).toEqual(['ANKARA-1', 'ANKARA-2', 'ANKARA-3', 'ANKARA-4', 'ANKARA-5'])
    await admin.from('devices').update({ name: 'ANKARA-9' }).eq('name', 'ANKARA-2').throwOnError()
    expect(await found(admin, 'ankara')).toEqual(['ANKARA-1', 'ANKARA-3', 'ANKARA-4', 'ANKARA-5', 'ANKARA-9'])
    expect(await found(stranger, 'ankara')).toEqual([])
    const renamed = await backend.sql(
      `select id from public.audit_log where table_name = 'group_devices' and action = 'edit'`,
    )
    expect(renamed).toEqual([])
    const standard = await backend.client((await createAccount(backend, 'Standard', company)).email)
    for (const client of [standard, await backend.client()])
      expect((await client.rpc('search_group_devices', { q: 'ankara' }, { get: true })).error?.code).toBe(
        '42501',
      )
  })

  it('are counted as they come and go, with a deleted device too', async () => {
    await backend.sql(`delete from public.devices where company_id = $1 and name = 'ANKARA-1'`, [company])
    expect(await count()).toBe(4)
    const [member] = (await admin.from('group_devices').select('device_id').eq('group_id', group).limit(1))
      .data as { device_id: string }[]
    await admin.from('group_devices').delete().eq('group_id', group).eq('device_id', member?.device_id)
    expect(await count()).toBe(3)
  })

  it('are not reached by strangers, nor by who may not edit groups; nobody writes the count', async () => {
    const standard = await backend.client((await createAccount(backend, 'Standard', company)).email)
    const candidates = (client: SupabaseClient) =>
      client.rpc('search_group_candidates', { group_id: group, q: '' }, { get: true })
    expect((await candidates(stranger)).data).toEqual([])
    expect((await add(stranger, '')).data).toBe(0)
    expect((await candidates(standard)).data ?? []).toEqual([])
    expect((await add(standard, '')).error?.code).toBe('42501')
    expect(await count()).toBe(3)
    const write = await admin.from('groups').update({ device_count: 99 }).eq('id', group)
    expect(write.error?.code).toBe('42501')
  })
})
