import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { insertInto } from '../support/as-user'

describe.each(drivers())('exceptions for updates on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: SupabaseClient
  let [desk, server, patch, group] = ['', '', '', '']
  const add = async (table: string, values: Record<string, unknown>): Promise<string> =>
    (
      await backend.sql<{ id: string }>(
        `${insertInto(table, { company_id: company, ...values })} returning id`,
      )
    )[0]?.id ?? ''
  const link = (table: string, values: Record<string, unknown>) =>
    backend.sql(insertInto(table, { company_id: company, ...values }))
  const rows = async () =>
    (
      await backend.sql<{ name: string; status: string; exception: string | null; scope: string | null }>(
        `select d.name, t.status, t.exception, t.exception_scope as scope from public.device_patches t
         join public.devices d on d.id = t.device_id where t.company_id = $1 order by d.name`,
        [company],
      )
    ).map(({ name, status, exception, scope }) => [name, status, exception, scope].filter(Boolean).join(' '))
  const rowOf = async (device: string) =>
    (
      await backend.sql<{ id: string }>('select id from public.device_patches where device_id = $1', [device])
    )[0]?.id
  const decideFor = (args: Record<string, unknown>) => admin.rpc('decide_for', { ids: [patch], ...args })
  /** The patches that the device is given to install when it asks for work. */
  const claimed = async (device: string) => {
    const [{ runs } = { runs: [] }] = await backend.sql<{ runs: { parameters: { patches?: string } }[] }>(
      `select app.claim_runs($1, $2, '{}', 4) as runs`,
      [company, device],
    )
    return runs.map(({ parameters }) => parameters.patches ?? null)
  }

  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    company = await createCompany(backend)
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
    desk = await add('devices', { name: 'desk' })
    server = await add('devices', { name: 'server' })
    patch = await add('patches', { title: 'Update', severity: 'critical', approval: 'approved' })
    for (const device_id of [desk, server]) await link('device_patches', { device_id, patch_id: patch })
    group = await add('groups', { name: 'Servers' })
    await link('group_devices', { group_id: group, device_id: server })
  })

  it('of a device come before those of its groups, of which the strictest holds', async () => {
    await decideFor({ scope: 'group', group_id: group, approval: 'approved' }).throwOnError()
    const second = await add('groups', { name: 'Front' })
    await link('group_devices', { group_id: second, device_id: server })
    await decideFor({ scope: 'group', group_id: second, approval: 'denied' }).throwOnError()
    expect(await rows()).toEqual(['desk missing', 'server missing denied group'])
    await admin
      .rpc('decide_on_devices', { ids: [await rowOf(server)], approval: 'deferred', until: '2100-01-01' })
      .throwOnError()
    expect(await rows()).toEqual(['desk missing', 'server missing deferred device'])
    await admin.rpc('end_exceptions', { ids: [await rowOf(server)] }).throwOnError()
    expect(await rows()).toEqual(['desk missing', 'server missing denied group'])
    expect((await admin.rpc('end_exceptions', { ids: [await rowOf(server)] })).error?.code).toBe('PT404')
  })

  it('hold for a device that enters the group, for one that reports the update later, and no longer for one that leaves', async () => {
    await decideFor({ scope: 'group', group_id: group, approval: 'denied' }).throwOnError()
    await link('group_devices', { group_id: group, device_id: desk })
    const late = await add('devices', { name: 'late' })
    await link('group_devices', { group_id: group, device_id: late })
    await link('device_patches', { device_id: late, patch_id: patch })
    expect(await rows()).toEqual([
      'desk missing denied group',
      'late missing denied group',
      'server missing denied group',
    ])
    await backend.sql('delete from public.group_devices where group_id = $1 and device_id = $2', [
      group,
      desk,
    ])
    expect(await rows()).toContain('desk missing')
    await backend.sql('delete from public.groups where id = $1', [group])
    expect(await rows()).toEqual(['desk missing', 'late missing', 'server missing'])
  })

  it('decide which devices a job installs on', async () => {
    await backend.sql(`update public.patches set approval = 'denied' where id = $1`, [patch])
    await decideFor({ scope: 'device', device_id: desk, approval: 'approved' }).throwOnError()
    await admin.rpc('install_patches', { ids: [await rowOf(desk), await rowOf(server)] }).throwOnError()
    expect(await rows()).toEqual(['desk queued approved device', 'server missing'])
    expect(await claimed(desk)).toEqual(['[{"title": "Update", "kb_number": ""}]'])
  })

  it('take back what is queued, and hold until the moment a device claims the run', async () => {
    await admin.rpc('install_patches', { ids: [await rowOf(desk), await rowOf(server)] }).throwOnError()
    await decideFor({ scope: 'group', group_id: group, approval: 'denied' }).throwOnError()
    expect(await rows()).toEqual(['desk queued', 'server missing denied group'])
    // An exception so young that the row does not show it yet.
    await backend.sql('alter table public.patch_exceptions disable trigger patch_exceptions_spread_insert')
    await decideFor({ scope: 'device', device_id: desk, approval: 'denied' }).throwOnError()
    await backend.sql('alter table public.patch_exceptions enable trigger patch_exceptions_spread_insert')
    expect(await rows()).toContain('desk queued')
    expect(await claimed(desk)).toEqual([null])
    // An exception that the company takes back stays where a device has its own approval.
    await backend.sql('delete from public.patch_exceptions where company_id = $1', [company])
    await decideFor({ scope: 'device', device_id: server, approval: 'approved' }).throwOnError()
    await admin.rpc('install_patches', { ids: [await rowOf(server)] }).throwOnError()
    await admin.rpc('decide_patches', { ids: [patch], approval: 'denied' }).throwOnError()
    expect(await rows()).toEqual(['desk missing', 'server queued approved device'])
  })

  it('end with their deferral, as the company’s own deferral does, once though two tick', async () => {
    await decideFor({
      scope: 'device',
      device_id: desk,
      approval: 'deferred',
      until: '2100-01-01',
    }).throwOnError()
    await decideFor({ scope: 'device', device_id: server, approval: 'denied' }).throwOnError()
    await backend.sql(
      `update public.patches set approval = 'deferred', deferred_until = current_date + 1 where id = $1`,
      [patch],
    )
    const end = async () =>
      (await backend.sql<{ done: number }>('select app.end_deferrals() as done'))[0]?.done ?? 0
    expect(await end()).toBe(0)
    await backend.sql(
      `update public.patch_exceptions set deferred_until = current_date where approval = 'deferred'`,
    )
    await backend.sql('update public.patches set deferred_until = current_date where id = $1', [patch])
    const [first, second] = await Promise.all([end(), end()])
    expect((first ?? 0) + (second ?? 0)).toBe(2)
    expect(await rows()).toEqual(['desk missing', 'server missing denied device'])
    expect(await backend.sql('select approval from public.patches where id = $1', [patch])).toEqual([
      { approval: 'pending' },
    ])
  })

  it('are refused with a past day, an unknown target, and one of another company', async () => {
    const codes = async (args: Record<string, unknown>) => (await decideFor(args)).error?.code
    expect(await codes({ scope: 'device', device_id: desk, approval: 'deferred', until: '2020-01-01' })).toBe(
      '23514',
    )
    expect(await codes({ scope: 'device', approval: 'denied' })).toBe('23514')
    expect(await codes({ scope: 'company', approval: 'denied' })).toBe('23514')
    const other = await createCompany(backend)
    const foreign = await add('devices', { company_id: other, name: 'foreign' })
    expect(await codes({ scope: 'device', device_id: foreign, approval: 'denied' })).toBe('23503')
    const [{ id } = { id: '' }] = await backend.sql<{ id: string }>(
      `insert into public.patches (company_id, title) values ($1, 'Foreign') returning id`,
      [other],
    )
    expect(
      (await decideFor({ ids: [id], scope: 'device', device_id: desk, approval: 'denied' })).error?.code,
    ).toBe('PT404')
  })

  it('are for who may decide, with a license', async () => {
    const ids = [await rowOf(desk)]
    const calls: [string, Record<string, unknown>][] = [
      ['decide_for', { ids: [patch], scope: 'device', device_id: desk, approval: 'denied' }],
      ['decide_on_devices', { ids, approval: 'denied' }],
      ['end_exceptions', { ids }],
    ]
    const basic = await createCompany(backend, { licenseType: 'Basic' })
    const expired = await createCompany(backend, { status: 'Expired', endsIn: '-1 day' })
    for (const [role, owner, code] of [
      ['Teknik', company, '42501'],
      ['Standard', company, '42501'],
      ['Admin', basic, '42501'],
      ['Admin', expired, '42501'],
      ['Admin', await createCompany(backend), 'PT404'],
    ] as const) {
      const client = await backend.client((await createAccount(backend, role, owner)).email)
      for (const [name, args] of calls)
        expect([role, name, (await client.rpc(name, args)).error?.code]).toEqual([role, name, code])
    }
    const stranger = await backend.client()
    for (const [name, args] of calls) expect((await stranger.rpc(name, args)).error?.code).toBe('42501')
    expect(await rows()).toEqual(['desk missing', 'server missing'])
  })
})
