import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { insertRow } from '../support/as-user'

describe.each(drivers())('tags on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: SupabaseClient
  let kiosk: string
  let desk: string
  const devices: string[] = []
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    company = await createCompany(backend)
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
    kiosk = await insertRow(backend, 'tags', { company_id: company, name: 'Kiosk' })
    desk = await insertRow(backend, 'tags', { company_id: company, name: 'Desk' })
    for (const name of ['a', 'b', 'c'])
      devices.push(await insertRow(backend, 'devices', { company_id: company, name }))
  })
  afterAll(() => backend?.stop())

  const link = (device: string | undefined, tag: string) => ({
    company_id: company,
    device_id: device,
    tag_id: tag,
  })
  const counts = async () =>
    Object.fromEntries(
      ((await admin.from('tags').select('name, device_count')).data ?? []).map((row) => [
        row.name,
        row.device_count,
      ]),
    )

  it('count their devices as these get and lose them, and as devices are deleted', async () => {
    const [a, b, c] = devices
    const before = await admin.from('tags').select('version, updated_at').eq('id', kiosk).single()
    const added = await admin
      .from('device_tags')
      .insert([link(a, kiosk), link(b, kiosk), link(c, kiosk), link(a, desk)])
    expect(added.error).toBeNull()
    expect(await counts()).toEqual({ Kiosk: 3, Desk: 1 })
    await admin.from('device_tags').delete().eq('tag_id', kiosk).eq('device_id', b)
    expect(await counts()).toEqual({ Kiosk: 2, Desk: 1 })
    await backend.sql('delete from public.devices where id = $1', [a])
    expect(await counts()).toEqual({ Kiosk: 1, Desk: 0 })
    // An open form of the tag stays valid, and nobody edited it.
    expect((await admin.from('tags').select('version, updated_at').eq('id', kiosk).single()).data).toEqual(
      before.data,
    )
    const audited = await backend.sql(
      `select 1 from public.audit_log where table_name = 'tags' and row_id = $1 and action = 'edit'`,
      [kiosk],
    )
    expect(audited).toEqual([])
    expect((await admin.from('tags').delete().eq('id', kiosk)).error).toBeNull()
    expect(await counts()).toEqual({ Desk: 0 })
  })

  it('have a count that nobody writes', async () => {
    const change = await admin
      .from('tags')
      .update({ device_count: 9 } as never)
      .eq('id', desk)
    expect(change.error?.code).toBe('42501')
    const added = await admin
      .from('tags')
      .insert({ company_id: company, name: 'Own', device_count: 9 } as never)
    expect(added.error?.code).toBe('42501')
    expect((await admin.from('tags').update({ name: 'Desks' }).eq('id', desk)).error).toBeNull()
    expect((await admin.from('tags').select('version').eq('id', desk).single()).data).toEqual({ version: 2 })
  })
})
