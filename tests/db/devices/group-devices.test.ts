import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'

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

  it('are no reason to widen what was for the group: it stays while it is the only one', async () => {
    const add = async (table: string, values: Record<string, unknown>): Promise<string> => {
      const names = ['company_id', ...Object.keys(values)]
      const [row] = await backend.sql<{ id: string }>(
        `insert into public.${table} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')}) returning *`,
        [company, ...Object.values(values)],
      )
      return row?.id ?? ''
    }
    const remove = async (id: string) => (await admin.from('groups').delete().eq('id', id)).error?.hint
    const named: [link: string, key: string, id: string][] = [
      ['policy_groups', 'policy_id', await add('policies', { name: 'Lab', kind: 'patch' })],
      [
        'monitor_groups',
        'monitor_id',
        await add('monitors', { name: 'Lab', type: 'Process', process_name: 'x' }),
      ],
      ['automation_groups', 'automation_id', await add('automations', { name: 'Lab' })],
    ]
    for (const [link, key, id] of named) {
      const only = await add('groups', { name: `Only of ${link}` })
      const other = await add('groups', { name: `Other of ${link}` })
      await add(link, { [key]: id, group_id: only })
      expect(await remove(only), link).toBe('group_in_use')
      await add(link, { [key]: id, group_id: other })
      expect(await remove(only), link).toBeUndefined()
      expect(await remove(other), link).toBe('group_in_use')
    }
    const device = await add('devices', { name: 'Last one' })
    const automation = await add('automations', { name: 'Of one device' })
    await add('automation_devices', { automation_id: automation, device_id: device })
    await backend.sql('delete from public.devices where id = $1', [device])
    expect(await backend.sql('select enabled from public.automations where id = $1', [automation])).toEqual([
      { enabled: false },
    ])
  })
})
