import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { insertInto } from '../support/as-user'

/** A window that is open at any time, but for a minute. */
const ALWAYS = {
  window_weekdays: '{mon,tue,wed,thu,fri,sat,sun}',
  window_from: '00:00',
  window_to: '23:59',
  timezone: 'UTC',
}

interface Ring {
  name: string
  ring: number
  tried: number
  succeeded: number
  released_at: string | null
}

describe.each(drivers())('rings of patch policies on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: SupabaseClient
  let [first, second, patch] = ['', '', '']
  let pilots: string[] = []
  let desks: string[] = []
  const add = async (table: string, values: Record<string, unknown>): Promise<string> =>
    (
      await backend.sql<{ id: string }>(
        `${insertInto(table, { company_id: company, ...values })} returning id`,
      )
    )[0]?.id ?? ''
  const link = (table: string, values: Record<string, unknown>) =>
    backend.sql(insertInto(table, { company_id: company, ...values }))
  const tick = () => backend.sql('select app.enforce_policies()')
  /** Counts anew without waiting for the five minutes. */
  const count = async () => {
    await backend.sql(
      `update app.patch_releases set evaluated_at = now() - interval '6 minutes' where company_id = $1`,
      [company],
    )
    await tick()
  }
  const outcome = (device: string, status: 'installed' | 'failed', days = 0) =>
    backend.sql(
      `update public.device_patches set status = $2, installed_at = case when $2 = 'installed' then now() - make_interval(days => $3) end
       where device_id = $1`,
      [device, status, days],
    )
  const queued = async () =>
    (
      await backend.sql<{ name: string }>(
        `select d.name from public.device_patches t join public.devices d on d.id = t.device_id
         where t.company_id = $1 and t.status = 'queued' order by d.name`,
        [company],
      )
    ).map(({ name }) => name)
  const rings = async () =>
    ((await admin.rpc('patch_rings', { patch_id: patch }).throwOnError()).data as Ring[]).map(
      ({ ring, tried, succeeded, released_at }) =>
        `${ring}: ${succeeded}/${tried}${released_at ? ' released' : ''}`,
    )
  const policy = async (ring: number | null, members: string[], values: Record<string, unknown> = {}) => {
    const id = await add('policies', {
      name: `Ring ${ring}`,
      kind: 'patch',
      ring,
      position: ring ?? 9,
      ...ALWAYS,
      ...values,
    })
    const group = await add('groups', { name: `Group ${ring}` })
    for (const device_id of members) await link('group_devices', { group_id: group, device_id })
    await link('policy_groups', { policy_id: id, group_id: group })
    return id
  }

  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    company = await createCompany(backend)
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
    patch = await add('patches', { title: 'Update', severity: 'critical', approval: 'approved' })
    const devices = async (names: string[]) => {
      const ids: string[] = []
      for (const name of names) {
        const id = await add('devices', { name })
        await link('device_patches', { device_id: id, patch_id: patch })
        ids.push(id)
      }
      return ids
    }
    pilots = await devices(['pilot-1', 'pilot-2', 'pilot-3', 'pilot-4'])
    desks = await devices(['desk-1', 'desk-2'])
    // A pilot that is in the second group, too, is of the first ring: its policy comes first.
    first = await policy(1, pilots)
    second = await policy(2, [...desks, String(pilots[0])], {
      promote_after_days: 2,
      promote_success_percent: 75,
      promote_min_devices: 3,
    })
  })

  it('reach the next one when enough devices tried it, enough succeeded, and the days are over', async () => {
    await tick()
    expect(await queued()).toEqual(['pilot-1', 'pilot-2', 'pilot-3', 'pilot-4'])
    expect(await rings()).toEqual(['1: 0/0', '2: 0/0'])
    await outcome(String(pilots[0]), 'installed', 3)
    await outcome(String(pilots[1]), 'installed', 1)
    await count()
    expect(await rings()).toEqual(['1: 0/0', '2: 2/2'])
    await outcome(String(pilots[2]), 'failed')
    await count()
    expect(await rings()).toEqual(['1: 0/0', '2: 2/3'])
    // The device tries again: until it succeeds, it has failed.
    const [row] = await backend.sql<{ id: string }>(
      'select id from public.device_patches where device_id = $1',
      [pilots[2]],
    )
    await admin.rpc('install_patches', { ids: [row?.id] }).throwOnError()
    await count()
    expect(await rings()).toEqual(['1: 0/0', '2: 2/3'])
    await outcome(String(pilots[3]), 'installed', 1)
    // Within five minutes nothing is counted again.
    await tick()
    expect(await rings()).toEqual(['1: 0/0', '2: 2/3'])
    await count()
    expect(await rings()).toEqual(['1: 0/0', '2: 3/4 released'])
    expect((await queued()).filter((name) => name.startsWith('desk'))).toEqual(['desk-1', 'desk-2'])
    // A device that fails later holds back nobody.
    await outcome(String(pilots[3]), 'failed')
    await count()
    expect(await rings()).toEqual(['1: 0/0', '2: 3/4 released'])
  })

  it('wait for the days after the first success', async () => {
    for (const pilot of pilots) await outcome(pilot, 'installed', 1)
    await tick()
    expect(await rings()).toEqual(['1: 0/0', '2: 4/4'])
    await outcome(String(pilots[0]), 'installed', 2)
    await count()
    expect(await rings()).toEqual(['1: 0/0', '2: 4/4 released'])
  })

  it('are judged by the rules as they are now, and start again when an approval is taken back', async () => {
    for (const pilot of pilots) await outcome(pilot, 'installed', 1)
    await tick()
    expect(await rings()).toEqual(['1: 0/0', '2: 4/4'])
    await admin.from('policies').update({ promote_after_days: 0 }).eq('id', second).throwOnError()
    await tick()
    expect(await rings()).toEqual(['1: 0/0', '2: 4/4 released'])
    await admin.rpc('decide_patches', { ids: [patch], approval: 'denied' }).throwOnError()
    expect(await rings()).toEqual(['1: 0/0', '2: 0/0'])
    await admin.from('policies').update({ ring: 3 }).eq('id', second).throwOnError()
    await admin.rpc('decide_patches', { ids: [patch], approval: 'approved' }).throwOnError()
    await tick()
    // Ring 2 has no devices.
    expect(await rings()).toEqual(['1: 0/0', '3: 0/0'])
  })

  it('release and queue once, though two tick at once', async () => {
    for (const pilot of pilots) await outcome(pilot, 'installed', 3)
    await Promise.all([tick(), tick()])
    await tick()
    expect(await rings()).toEqual(['1: 0/0', '2: 4/4 released'])
    expect(
      await backend.sql(
        'select count(*)::int as jobs, sum(total)::int as runs from public.jobs where company_id = $1',
        [company],
      ),
    ).toEqual([{ jobs: 1, runs: 2 }])
  })

  it('hold back what is asked for all updates, and neither an exception nor a single update', async () => {
    expect((await admin.rpc('run_task', { task: 'install_patches', device_ids: desks })).error?.hint).toBe(
      'patches_none',
    )
    await admin
      .rpc('decide_for', { ids: [patch], scope: 'device', device_id: desks[0], approval: 'approved' })
      .throwOnError()
    await admin.rpc('run_task', { task: 'install_patches', device_ids: desks }).throwOnError()
    expect(await queued()).toEqual(['desk-1'])
    const [{ id } = { id: '' }] = await backend.sql<{ id: string }>(
      'select id from public.device_patches where device_id = $1',
      [desks[1]],
    )
    await admin.rpc('install_patches', { ids: [id] }).throwOnError()
    expect(await queued()).toEqual(['desk-1', 'desk-2'])
  })

  it('say what a device waits for, to whom may know', async () => {
    await outcome(String(pilots[0]), 'installed', 3)
    await outcome(String(pilots[1]), 'failed')
    await tick()
    const { data } = await admin.rpc('device_holds', { device_id: desks[0] })
    expect(data).toEqual([
      expect.objectContaining({
        title: 'Update',
        policy_name: 'Ring 2',
        ring: 2,
        tried: 2,
        succeeded: 1,
        success_percent: 75,
        min_devices: 3,
      }),
    ])
    expect((await admin.rpc('device_holds', { device_id: pilots[0] })).data).toEqual([])
    for (const [role, owner] of [
      ['Admin', await createCompany(backend)],
      ['Admin', await createCompany(backend, { licenseType: 'Basic' })],
      ['Standard', company],
    ] as const) {
      const client = await backend.client((await createAccount(backend, role, owner)).email)
      expect((await client.rpc('device_holds', { device_id: desks[0] })).data).toEqual([])
      expect((await client.rpc('patch_rings', { patch_id: patch })).data).toEqual([])
    }
    const stranger = await backend.client()
    expect((await stranger.rpc('device_holds', { device_id: desks[0] })).error?.code).toBe('42501')
    expect((await stranger.rpc('patch_rings', { patch_id: patch })).error?.code).toBe('42501')
  })

  it('are part of what a policy would do before it is saved', async () => {
    const impact = async (args: Record<string, unknown>) =>
      (await admin.rpc('policy_impact', { company, kind: 'patch', at_position: 9, ...args }).throwOnError())
        .data
    expect(await impact({ ring: 2 })).toMatchObject({ devices: 6, before: 4, restarts: 0 })
    expect(await impact({ ring: 3, policy_id: second })).toMatchObject({ before: 0 })
    expect(await impact({ ring: 1 })).toMatchObject({ before: null })
    expect(await impact({ kind: 'agent', ring: 2 })).toMatchObject({ before: null, restarts: null })
    await backend.sql('update public.devices set reboot_required = true where id = $1', [desks[0]])
    expect(await impact({})).toMatchObject({ restarts: 1 })
    const [{ id } = { id: '' }] = await backend.sql<{ id: string }>(
      `select g.group_id as id from public.policy_groups g where g.policy_id = $1`,
      [first],
    )
    expect(await impact({ group_ids: [id] })).toMatchObject({ devices: 4, restarts: 0 })
  })

  it('restart devices in the restart window alone, once', async () => {
    await backend.sql(
      `update public.devices set reboot_required = true, status = 'online', offline_since = null where id = $1`,
      [desks[0]],
    )
    await backend.sql('delete from public.device_patches where company_id = $1', [company])
    const day = (shift: number) =>
      ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][(new Date().getUTCDay() + shift) % 7]
    const set = (values: Record<string, unknown>) => admin.from('policies').update(values).eq('id', second)
    const restarts = async () =>
      (
        await backend.sql<{ n: number }>(
          `select count(*)::int as n from public.jobs where company_id = $1 and script::jsonb ->> 'task' = 'reboot'`,
          [company],
        )
      )[0]?.n
    expect((await set({ reboot: 'in_window', reboot_weekdays: [] })).error?.code).toBe('23514')
    await set({
      reboot: 'in_window',
      reboot_weekdays: [day(3)],
      reboot_from: '00:00',
      reboot_to: '23:59',
    }).throwOnError()
    await tick()
    expect(await restarts()).toBe(0)
    // The installation window needs not be open.
    await set({ reboot_weekdays: [day(0), day(6)], reboot_to: '00:00', window_weekdays: [] }).throwOnError()
    await Promise.all([tick(), tick()])
    await tick()
    expect(await restarts()).toBe(1)
    await backend.sql(
      `update public.job_runs set status = 'succeeded', finished_at = now() where company_id = $1`,
      [company],
    )
    await tick()
    expect(await restarts()).toBe(1)
    await set({ reboot: 'never' }).throwOnError()
    await backend.sql(
      `update public.job_runs set queued_at = queued_at - interval '2 days' where company_id = $1`,
      [company],
    )
    await tick()
    expect(await restarts()).toBe(1)
  })
})
