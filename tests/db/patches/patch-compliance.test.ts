import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { insertInto } from '../support/as-user'

interface Compliance {
  devices: number
  unknown: number
  late: { severity: string; age: string; count: number }[]
  companies: { id: string; name: string; count: number }[]
}

describe.each(drivers())('patch compliance on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: SupabaseClient
  const add = async (table: string, values: Record<string, unknown>): Promise<string> =>
    (
      await backend.sql<{ id: string }>(
        `${insertInto(table, { company_id: company, ...values })} returning id`,
      )
    )[0]?.id ?? ''
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const missing = (device_id: string, patch_id: string, days: number, values: Record<string, unknown> = {}) =>
    add('device_patches', { device_id, patch_id, missing_since: daysAgo(days), ...values })
  const counts = async (client = admin, args: Record<string, unknown> = {}) =>
    (await client.rpc('patch_compliance', args).throwOnError()).data as Compliance
  const late = async () =>
    (await counts()).late.map(({ severity, age, count }) => `${severity} ${age} ${count}`).sort()
  const tick = async () =>
    (await backend.sql<{ done: number }>('select app.rate_patches() as done'))[0]?.done ?? 0

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    company = await createCompany(backend)
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
  })

  it('counts devices once, by the highest severity and the oldest of what they should have', async () => {
    const [both, fresh, calm] = [
      await add('devices', { name: 'both' }),
      await add('devices', { name: 'fresh' }),
      await add('devices', { name: 'calm' }),
    ]
    await add('devices', { name: 'silent' })
    const critical = await add('patches', { title: 'critical', severity: 'critical', category: 'security' })
    const low = await add('patches', {
      title: 'low',
      severity: 'low',
      category: 'driver',
      approval: 'approved',
    })
    const optional = await add('patches', { title: 'optional', severity: 'critical', category: 'driver' })
    const denied = await add('patches', { title: 'denied', severity: 'critical', approval: 'denied' })
    const replaced = await add('patches', { title: 'replaced', severity: 'critical', superseded: true })
    await missing(both, critical, 10)
    await missing(both, low, 40)
    await missing(fresh, low, 100)
    await missing(calm, optional, 100)
    await missing(calm, denied, 100)
    await missing(calm, replaced, 100)
    await missing(calm, critical, 100, { status: 'installed', installed_at: daysAgo(1) })
    expect(await late()).toEqual(['critical overdue 1', 'low long 1'])
    expect(await counts()).toMatchObject({ devices: 4, unknown: 1, companies: [] })
    expect((await counts(admin, { days: 60 })).late).toEqual(
      expect.arrayContaining([
        { severity: 'critical', age: 'due', count: 1 },
        { severity: 'low', age: 'overdue', count: 1 },
      ]),
    )
    for (const days of [0, 366, null])
      expect((await admin.rpc('patch_compliance', { days })).error?.code).toBe('23514')
  })

  it('follows installs, removals and exceptions at once, and decisions with the tick', async () => {
    const device = await add('devices', { name: 'pc' })
    const patch = await add('patches', { title: 'patch', severity: 'important' })
    const row = await missing(device, patch, 50)
    expect(await late()).toEqual(['important overdue 1'])
    await backend.sql(
      `update public.device_patches set status = 'installed', installed_at = now() where id = $1`,
      [row],
    )
    expect(await late()).toEqual([])
    // It was removed again: it is missing since now.
    await backend.sql(
      `update public.device_patches set status = 'missing', installed_at = null where id = $1`,
      [row],
    )
    expect(await late()).toEqual(['important due 1'])
    await backend.sql(`update public.device_patches set missing_since = $2 where id = $1`, [row, daysAgo(50)])
    await admin.rpc('decide_on_devices', { ids: [row], approval: 'denied' }).throwOnError()
    expect(await late()).toEqual([])
    await admin.rpc('end_exceptions', { ids: [row] }).throwOnError()
    expect(await late()).toEqual(['important overdue 1'])
    await admin.rpc('decide_patches', { ids: [patch], approval: 'denied' }).throwOnError()
    await Promise.all([tick(), tick()])
    expect(await late()).toEqual([])
    expect(await tick()).toBe(0)
    await admin.rpc('decide_patches', { ids: [patch], approval: 'approved' }).throwOnError()
    await tick()
    expect(await late()).toEqual(['important overdue 1'])
  })

  it('marks what a newer update replaced, on every device, with the tick', async () => {
    const patch = await add('patches', { title: 'patch', severity: 'important' })
    for (const name of ['a', 'b']) await missing(await add('devices', { name }), patch, 50)
    await backend.sql('update public.patches set superseded = true where id = $1', [patch])
    await tick()
    await missing(await add('devices', { name: 'c' }), patch, 50)
    const { data } = await admin.from('device_patches').select('superseded')
    expect(data).toEqual([{ superseded: true }, { superseded: true }, { superseded: true }])
    expect(await late()).toEqual([])
  })

  it('rates the devices of a decision some at a time', async () => {
    const patch = await add('patches', { title: 'patch', severity: 'low', category: 'driver' })
    for (const name of ['a', 'b', 'c', 'd', 'e']) await missing(await add('devices', { name }), patch, 40)
    await backend.sql(`update public.patches set approval = 'approved' where id = $1`, [patch])
    expect(await late()).toEqual([])
    for (const [done, shown] of [
      [3, 'low overdue 3'],
      [2, 'low overdue 5'],
      [0, 'low overdue 5'],
    ]) {
      expect(await backend.sql('select app.rate_patches(3) as done')).toEqual([{ done }])
      expect(await late()).toEqual([shown])
    }
  })

  it('knows a device that reported that it lacks nothing', async () => {
    const device = await add('devices', { name: 'new' })
    expect(await counts()).toMatchObject({ devices: 1, unknown: 1 })
    await backend.sql(`select app.record_patches($1, $2, '{"missing": []}')`, [company, device])
    expect(await counts()).toMatchObject({ devices: 1, unknown: 0, late: [] })
  })

  it('is that of the own company; who sees all gets the companies with the most', async () => {
    const device = await add('devices', { name: 'pc' })
    await missing(device, await add('patches', { title: 'patch', severity: 'critical' }), 50)
    const other = await createCompany(backend)
    const foreign = await admin.rpc('patch_compliance', { company: other })
    expect(foreign.error?.code).toBe('42501')
    const boss = await backend.client((await createAccount(backend, 'Super Admin', null)).email)
    expect((await counts(boss)).companies).toContainEqual(expect.objectContaining({ id: company, count: 1 }))
    expect(await counts(boss, { company: other })).toMatchObject({ devices: 0, late: [], companies: [] })
    const { data } = await admin.rpc('dashboard')
    expect((data as { compliance: Compliance }).compliance).toMatchObject({
      devices: 1,
      late: [{ severity: 'critical', age: 'overdue', count: 1 }],
    })
    const basic = await createCompany(backend, { licenseType: 'Basic' })
    const unlicensed = await backend.client((await createAccount(backend, 'Admin', basic)).email)
    expect((await unlicensed.rpc('patch_compliance')).error?.code).toBe('42501')
    expect((await unlicensed.rpc('dashboard')).data).toMatchObject({ compliance: null })
    const standard = await backend.client((await createAccount(backend, 'Standard', company)).email)
    expect((await standard.rpc('patch_compliance')).error?.code).toBe('42501')
    expect((await (await backend.client()).rpc('patch_compliance')).error?.code).toBe('42501')
  })
})
