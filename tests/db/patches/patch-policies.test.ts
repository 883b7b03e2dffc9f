import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { insertInto } from '../support/as-user'

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
/** A window that is open at any time, but for a minute. */
const ALWAYS = {
  window_weekdays: `{${DAYS.join(',')}}`,
  window_from: '00:00',
  window_to: '23:59',
  timezone: 'UTC',
}

describe.each(drivers())('patch policies on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: SupabaseClient
  const add = async (table: string, values: Record<string, unknown>): Promise<string> =>
    (
      await backend.sql<{ id: string }>(
        `${insertInto(table, { company_id: company, ...values })} returning id`,
      )
    )[0]?.id ?? ''
  const link = (table: string, values: Record<string, unknown>) =>
    backend.sql(insertInto(table, { company_id: company, ...values }))
  const tick = () => backend.sql('select app.enforce_policies()')
  const policy = (values: Record<string, unknown>) =>
    add('policies', { name: 'Rule', kind: 'patch', ...values })
  const patch = (title: string, severity: string, days = 0, approval = 'pending') =>
    add('patches', {
      title,
      severity,
      approval,
      created_at: new Date(Date.now() - days * 86_400_000 - 1000).toISOString(),
    })
  const device = (name: string, values: Record<string, unknown> = {}) => add('devices', { name, ...values })
  const approvals = async () =>
    (
      await backend.sql<{ title: string; approval: string }>(
        'select title, approval from public.patches where company_id = $1 order by title',
        [company],
      )
    ).map(({ title, approval }) => `${title} ${approval}`)
  const jobs = () =>
    backend.sql<{ name: string; task: string; total: number; until: string }>(
      `select name, script::jsonb ->> 'task' as task, total from public.jobs where company_id = $1 order by task, created_at`,
      [company],
    )

  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    company = await createCompany(backend)
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
  })

  it('approve updates by severity and age, and nothing that people decided', async () => {
    await patch('a old critical', 'critical', 4)
    await patch('b new critical', 'critical', 2)
    await patch('c old low', 'low', 9)
    await patch('d denied', 'critical', 9, 'denied')
    await policy({ approve_severities: '{critical}', approve_after_days: 3 })
    await tick()
    expect(await approvals()).toEqual([
      'a old critical approved',
      'b new critical pending',
      'c old low pending',
      'd denied denied',
    ])
    expect(await jobs()).toEqual([])
  })

  it('install in their window, once a window, one job for all devices though two tick', async () => {
    const [near, far] = [await device('near'), await device('far')]
    const approved = await patch('approved', 'critical', 1, 'approved')
    const waiting = await patch('waiting', 'critical', 1)
    for (const device_id of [near, far])
      for (const patch_id of [approved, waiting]) await link('device_patches', { device_id, patch_id })
    const id = await policy({ name: 'Night', ...ALWAYS })
    await Promise.all([tick(), tick()])
    expect(await jobs()).toEqual([{ name: 'Night', task: 'install_patches', total: 2 }])
    await backend.sql(
      `update public.job_runs set status = 'failed', finished_at = now() where company_id = $1`,
      [company],
    )
    await tick()
    expect(await jobs()).toHaveLength(1)
    // The next window tries again.
    await backend.sql(
      `update public.job_runs set queued_at = queued_at - interval '2 days' where company_id = $1`,
      [company],
    )
    await tick()
    expect(await jobs()).toHaveLength(2)
    await backend.sql('update public.policies set enabled = false where id = $1', [id])
  })

  it('leave a device to the first policy that applies to it', async () => {
    const [server, desk] = [await device('server'), await device('desk')]
    const approved = await patch('approved', 'critical', 1, 'approved')
    for (const device_id of [server, desk]) await link('device_patches', { device_id, patch_id: approved })
    const group = await add('groups', { name: 'Servers' })
    await link('group_devices', { group_id: group, device_id: server })
    const first = await policy({ name: 'Servers by hand', position: 1 })
    await link('policy_groups', { policy_id: first, group_id: group })
    await policy({ name: 'All', position: 2, ...ALWAYS })
    await tick()
    expect(await jobs()).toEqual([{ name: 'All', task: 'install_patches', total: 1 }])
    const { data } = await admin.rpc('device_policies', { device_id: server })
    expect(
      (data as { name: string; applies: boolean; first_name: string }[]).map(({ name, applies }) => [
        name,
        applies,
      ]),
    ).toEqual([
      ['Servers by hand', true],
      ['All', false],
    ])
    for (const [role, owner] of [
      ['Admin', await createCompany(backend)],
      ['Standard', company],
    ] as const) {
      const client = await backend.client((await createAccount(backend, role, owner)).email)
      expect([role, (await client.rpc('device_policies', { device_id: server })).data]).toEqual([role, []])
    }
    expect((await (await backend.client()).rpc('device_policies', { device_id: server })).error?.code).toBe(
      '42501',
    )
  })

  it('restart a device that needs it, once a window, not while something runs on it', async () => {
    const [due, busy] = [
      await device('due', { reboot_required: true, status: 'online', offline_since: null }),
      await device('busy', { reboot_required: true, status: 'online', offline_since: null }),
    ]
    await device('off', { reboot_required: true, status: 'offline' })
    await backend.sql(
      `select app.queue_task($1, 'Work', '{"task": "inventory"}', array[$2]::uuid[], 60, now() + interval '1 hour')`,
      [company, busy],
    )
    await policy({ reboot: 'if_needed', ...ALWAYS })
    await tick()
    await tick()
    expect((await jobs()).filter(({ task }) => task === 'reboot')).toEqual([
      { name: 'Rule', task: 'reboot', total: 1 },
    ])
    expect(
      await backend.sql(
        `select r.device_id from public.job_runs r join public.jobs j on j.id = r.job_id
         where j.company_id = $1 and j.script::jsonb ->> 'task' = 'reboot'`,
        [company],
      ),
    ).toEqual([{ device_id: due }])
  })

  it('do nothing without a license, without Pro, or while they are disabled', async () => {
    await patch('update', 'critical', 9)
    const id = await policy({ approve_severities: '{critical}', enabled: false })
    await tick()
    await backend.sql('update public.policies set enabled = true where id = $1', [id])
    for (const change of [`status = 'Expired'`, `status = 'Active', license_type = 'Basic'`]) {
      await backend.sql(`update public.companies set ${change} where id = $1`, [company])
      await tick()
      expect(await approvals()).toEqual(['update pending'])
    }
  })

  it.each([
    // Within a day; over midnight, on the day it begins and on the next; and when clocks change.
    ['mon', '22:00', '23:00', '2026-11-23T19:30:00Z', '2026-11-23T19:00:00Z', '2026-11-23T20:00:00Z'],
    ['mon', '22:00', '05:00', '2026-11-24T01:30:00Z', '2026-11-23T19:00:00Z', '2026-11-24T02:00:00Z'],
    ['tue', '22:00', '05:00', '2026-11-24T01:30:00Z', null, null],
    ['mon', '22:00', '23:00', '2026-11-23T20:00:00Z', null, null],
  ])('know their window: %s %s to %s at %s', async (day, from, to, moment, starts, ends) => {
    const id = await policy({
      window_weekdays: `{${day}}`,
      window_from: from,
      window_to: to,
      timezone: 'Europe/Istanbul',
      enabled: false,
    })
    const [found] = await backend.sql<{ starts: Date | null; ends: Date | null }>(
      `select w.starts, w.ends from public.policies p left join lateral app.window_of(p, $2::timestamptz) w on true where p.id = $1`,
      [id, moment],
    )
    const iso = (value: Date | string | null | undefined) =>
      value ? new Date(value).toISOString().replace('.000', '') : null
    expect([iso(found?.starts), iso(found?.ends)]).toEqual([starts, ends])
  })

  it('open and close by the clock of their time zone when it changes', async () => {
    const id = await policy({
      window_weekdays: '{sun}',
      window_from: '01:00',
      window_to: '04:00',
      timezone: 'Europe/Berlin',
      enabled: false,
    })
    const [found] = await backend.sql<{ hours: number }>(
      `select (extract(epoch from w.ends - w.starts) / 3600)::int as hours
       from public.policies p, lateral app.window_of(p, timestamptz '2026-10-25T00:30:00Z') w where p.id = $1`,
      [id],
    )
    expect(found).toEqual({ hours: 4 })
  })
})
