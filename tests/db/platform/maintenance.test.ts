import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type Device, fleetOf } from '../support/agent-functions-fleet'
import { insertInto } from '../support/as-user'

const ALWAYS = {
  kind: 'maintenance',
  window_weekdays: '{mon,tue,wed,thu,fri,sat,sun}',
  window_from: '00:00',
  window_to: '23:59',
  timezone: 'UTC',
}

describe.each(drivers())('maintenance, offline devices and policies on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: SupabaseClient
  let device: Device
  let fleet: ReturnType<typeof fleetOf>
  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    company = await createCompany(backend)
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
    fleet = fleetOf(backend, company)
    device = await fleet.enroll()
  })

  const add = async (table: string, values: Record<string, unknown>): Promise<string> =>
    (
      await backend.sql<{ id: string }>(
        `${insertInto(table, { company_id: company, ...values })} returning id`,
      )
    )[0]?.id ?? ''
  const monitor = (values: Record<string, unknown> = {}) =>
    add('monitors', { name: 'M', type: 'Process', process_name: 'cron', ...values })
  const policy = (values: Record<string, unknown>) => add('policies', { name: 'Night', ...values })
  const report = (id: string, state: 'ok' | 'failing' | 'unknown') =>
    fleet.checkIn(device, {
      monitors_hash: null,
      monitor_states: [{ monitor_id: id, state, message: state === 'ok' ? '' : 'cron is not running' }],
    })
  const alerts = () =>
    backend.sql<{ status: string; suppressed_by: string | null }>(
      'select status, suppressed_by from public.alerts where company_id = $1 order by opened_at, id',
      [company],
    )
  const notices = async () =>
    (
      await backend.sql<{ n: number }>(
        `select count(*)::int as n from public.notifications where company_id = $1 and kind = 'alert_opened'`,
        [company],
      )
    )[0]?.n
  const maintain = (minutes: unknown, client = admin, ids = [device.device_id]) =>
    client.rpc('set_maintenance', { device_ids: ids, minutes, note: 'New disk' })

  it('keeps a device from raising alerts, says what it suppressed, and raises what still fails at its end', async () => {
    const id = await monitor({ open_ticket: true })
    expect((await maintain(60)).data).toBe(1)
    await report(id, 'failing')
    await report(id, 'failing')
    expect(await alerts()).toEqual([{ status: 'suppressed', suppressed_by: 'New disk' }])
    expect(await notices()).toBe(0)
    expect(await backend.sql('select 1 from public.tickets where company_id = $1', [company])).toEqual([])
    await backend.sql('select app.raise_suppressed()')
    expect(await alerts()).toHaveLength(1)
    await maintain(0)
    await backend.sql('select app.raise_suppressed()')
    await backend.sql('select app.raise_suppressed()')
    expect(await alerts()).toEqual([
      { status: 'suppressed', suppressed_by: 'New disk' },
      { status: 'open', suppressed_by: null },
    ])
    expect(await notices()).toBe(1)
    expect(await backend.sql('select 1 from public.tickets where company_id = $1', [company])).toHaveLength(1)
  })

  it('writes one alert for what fails again and again in it', async () => {
    const id = await monitor()
    await maintain(60)
    for (let round = 0; round < 5; round++) {
      await report(id, 'failing')
      await report(id, 'ok')
    }
    expect(
      await backend.sql('select status, suppressed_by, times from public.alerts where company_id = $1', [
        company,
      ]),
    ).toEqual([{ status: 'suppressed', suppressed_by: 'New disk', times: 5 }])
  })

  it('raises nothing for what works again before its end', async () => {
    const id = await monitor()
    await maintain(60)
    await report(id, 'failing')
    await report(id, 'ok')
    await maintain(0)
    await backend.sql('select app.raise_suppressed()')
    expect(await alerts()).toEqual([{ status: 'suppressed', suppressed_by: 'New disk' }])
  })

  it('is also the window of a policy, and the first that applies decides', async () => {
    const id = await monitor()
    await policy({ ...ALWAYS, name: 'Window', position: 2 })
    await report(id, 'failing')
    expect(await alerts()).toEqual([{ status: 'suppressed', suppressed_by: 'Window' }])
    await policy({ ...ALWAYS, name: 'Never', window_weekdays: '{}', position: 1 })
    await backend.sql('select app.raise_suppressed()')
    expect((await alerts()).map(({ status }) => status)).toEqual(['suppressed', 'open'])
  })

  it('is set by those who may edit devices of their company, for a month at most', async () => {
    expect((await maintain(43201)).error?.hint).toBe('maintenance_minutes')
    expect((await maintain(null)).error?.hint).toBe('maintenance_minutes')
    const other = await createCompany(backend)
    const client = async (role: string, of = company) =>
      backend.client((await createAccount(backend, role, of)).email)
    expect((await maintain(60, await client('Standard'))).error?.code).toBe('42501')
    expect((await maintain(60, await backend.client())).error?.code).toBe('42501')
    expect((await maintain(60, await client('Admin', other))).error?.hint).toBe('device_gone')
    const direct = await admin
      .from('devices')
      .update({ maintenance_until: new Date().toISOString() } as never)
      .eq('id', device.device_id)
    expect(direct.error?.code).toBe('42501')
    await backend.sql(`update public.companies set license_end_date = current_date - 1 where id = $1`, [
      company,
    ])
    expect((await maintain(60)).error?.code).toBe('42501')
  })

  it('tells nobody of a new alert within the cooldown', async () => {
    const id = await monitor({ cooldown_minutes: 30 })
    await report(id, 'failing')
    await report(id, 'ok')
    await report(id, 'failing')
    expect(await notices()).toBe(1)
    expect(
      await backend.sql('select status, in_cooldown, times from public.alerts where monitor_id = $1', [id]),
    ).toEqual([{ status: 'open', in_cooldown: true, times: 2 }])
    await report(id, 'ok')
    await backend.sql('update app.notices set closes_at = now() where company_id = $1', [company])
    await backend.sql(
      `update public.alerts set opened_at = opened_at - interval '31 minutes' where monitor_id = $1`,
      [id],
    )
    await report(id, 'failing')
    expect(await notices()).toBe(2)
  })

  it('opens no ticket within the cooldown either, and runs a script at most once a minute', async () => {
    const procedure_id = await add('procedures', { name: 'Repair', type: 'Bash', script: 'true' })
    const id = await monitor({ cooldown_minutes: 0, procedure_id, open_ticket: true })
    const made = async (table: string) =>
      (await backend.sql(`select 1 from public.${table} where company_id = $1`, [company])).length
    for (let round = 0; round < 3; round++) {
      await report(id, 'failing')
      await report(id, 'ok')
      await backend.sql(`update public.tickets set status = 'closed' where company_id = $1`, [company])
    }
    expect(await alerts()).toHaveLength(1)
    expect([await made('jobs'), await made('tickets'), await notices()]).toEqual([1, 1, 1])
  })

  it('keeps an alert open while the device cannot make the check', async () => {
    const id = await monitor({})
    await report(id, 'failing')
    await report(id, 'unknown')
    expect(await alerts()).toMatchObject([{ status: 'open' }])
    expect(await backend.sql('select state from public.monitor_states where monitor_id = $1', [id])).toEqual([
      { state: 'unknown' },
    ])
    await report(id, 'ok')
    expect(await alerts()).toMatchObject([{ status: 'resolved' }])
  })

  it('takes no states while the license has ended', async () => {
    const id = await monitor({})
    await backend.sql(`update public.companies set license_end_date = now() where id = $1`, [company])
    await report(id, 'failing')
    expect(await alerts()).toEqual([])
  })

  it('has alerts acknowledged and resolved by those who may edit them, in their company', async () => {
    await report(await monitor(), 'failing')
    const [alert] = await backend.sql<{ id: string }>('select id from public.alerts where company_id = $1', [
      company,
    ])
    const decide = (client: SupabaseClient, status: string) =>
      client.rpc('decide_alerts', { ids: [alert?.id ?? ''], status })
    const foreign = await backend.client(
      (await createAccount(backend, 'Admin', await createCompany(backend))).email,
    )
    expect((await decide(foreign, 'resolved')).error?.hint).toBe('record_gone')
    for (const client of [
      await backend.client(),
      await backend.client((await createAccount(backend, 'Standard', company)).email),
    ])
      expect((await decide(client, 'resolved')).error?.code).toBe('42501')
    expect((await decide(admin, 'open')).error?.code).toBe('22023')
    expect((await decide(admin, 'acknowledged')).data).toBe(1)
    expect(await decide(admin, 'acknowledged')).toMatchObject({ data: 0, error: null })
    expect(await alerts()).toMatchObject([{ status: 'acknowledged' }])
    expect((await decide(admin, 'resolved')).data).toBe(1)
    expect(await alerts()).toMatchObject([{ status: 'resolved' }])
  })

  it('opens an alert for a device that is offline for too long, and resolves it when it is back', async () => {
    const id = await monitor({ type: 'Offline', offline_minutes: 20, process_name: null })
    const offline = (minutes: number) =>
      backend.sql(
        `update public.devices set status = 'offline', offline_since = now() - make_interval(mins => $2) where id = $1`,
        [device.device_id, minutes],
      )
    const watch = () => backend.sql('select app.watch_offline()')
    const { body } = await fleet.checkIn(device, { monitors_hash: null })
    expect(body.monitors).toEqual([])
    await offline(10)
    await watch()
    expect(await alerts()).toEqual([])
    await offline(25)
    await Promise.all([watch(), watch()])
    expect(await alerts()).toEqual([{ status: 'open', suppressed_by: null }])
    await fleet.checkIn(device)
    await watch()
    expect(await alerts()).toEqual([{ status: 'resolved', suppressed_by: null }])
    const tested = await admin.rpc('test_monitor', { monitor_id: id, device_ids: [device.device_id] })
    expect(tested.error?.hint).toBe('monitor_untestable')
  })

  it('checks in as often as the agent policy of its group says, but not more often than the fleet allows', async () => {
    const group = await add('groups', { name: 'Servers' })
    const id = await policy({ kind: 'agent', check_in_seconds: 120 })
    await backend.sql(insertInto('policy_groups', { company_id: company, policy_id: id, group_id: group }))
    const interval = async () => {
      await backend.sql('select app.apply_policies()')
      return (await fleet.checkIn(device)).body.interval
    }
    const usual = await interval()
    await backend.sql(
      insertInto('group_devices', { company_id: company, group_id: group, device_id: device.device_id }),
    )
    expect(await interval()).toBe(120)
    await backend.sql('update public.policies set check_in_seconds = 5 where id = $1', [id])
    expect(await interval()).toBe(usual)
    await backend.sql('update public.policies set check_in_seconds = 90 where id = $1', [id])
    expect(await interval()).toBe(90)
    await backend.sql('delete from public.group_devices where group_id = $1', [group])
    expect(await interval()).toBe(usual)
  })

  it('runs nothing that a policy denies, whoever asked, and says so', async () => {
    const run = async (): Promise<{ status: string; error: string | null }> => {
      const job = await admin.rpc('run_command', {
        type: 'Bash',
        command: 'id',
        device_ids: [device.device_id],
      })
      expect(job.error).toBeNull()
      const { body } = await fleet.checkIn(device)
      const [row] = await backend.sql<{ status: string; error: string | null }>(
        'select status, error from public.job_runs where job_id = $1',
        [job.data],
      )
      if (row?.status === 'claimed') expect(body.runs).toHaveLength(1)
      else expect(body.runs).toEqual([])
      return row ?? { status: 'none', error: null }
    }
    const id = await policy({ kind: 'permission', denied: '{command,power}' })
    expect(await run()).toEqual({ status: 'failed', error: 'denied' })
    await backend.sql(`update public.policies set denied = '{app}' where id = $1`, [id])
    expect(await run()).toEqual({ status: 'claimed', error: null })
    await backend.sql(`update public.policies set denied = '{command}', enabled = false where id = $1`, [id])
    expect(await run()).toEqual({ status: 'claimed', error: null })
  })

  it('lets a monitor be tested by those who may, on devices of their company', async () => {
    const id = await monitor()
    const other = await createCompany(backend)
    const test = async (client: SupabaseClient) =>
      client.rpc('test_monitor', { monitor_id: id, device_ids: [device.device_id], name: 'Test: M' })
    const client = async (role: string, of = company) =>
      backend.client((await createAccount(backend, role, of)).email)
    expect((await test(await client('Standard'))).error?.code).toBe('42501')
    expect((await test(await backend.client())).error?.code).toBe('42501')
    expect((await test(await client('Admin', other))).error?.code).toBe('PT404')
    expect((await test(await client('Teknik'))).error).toBeNull()
    const { body } = await fleet.checkIn(device)
    const [offer] = body.runs as { type: string; script: string }[]
    expect(offer?.type).toBe('Agent')
    expect(JSON.parse(offer?.script ?? '{}')).toMatchObject({
      task: 'check_monitor',
      monitor: { id, type: 'Process', process_name: 'cron' },
    })
    expect(await alerts()).toEqual([])
  })

  it('says on how many devices a policy would be, and which come first on the others', async () => {
    const [servers, all] = [await add('groups', { name: 'Servers' }), await add('groups', { name: 'All' })]
    const other = await fleet.enroll()
    for (const [group, id] of [
      [servers, device.device_id],
      [all, device.device_id],
      [all, other.device_id],
    ])
      await backend.sql(insertInto('group_devices', { company_id: company, group_id: group, device_id: id }))
    const first = await policy({ kind: 'agent', position: 1, name: 'First' })
    await backend.sql(
      insertInto('policy_groups', { company_id: company, policy_id: first, group_id: servers }),
    )
    await policy({ kind: 'agent', position: 1, name: 'Off', enabled: false })
    const impact = async (values: Record<string, unknown> = {}, client = admin) =>
      (
        await client.rpc('policy_impact', {
          company,
          kind: 'agent',
          at_position: 5,
          group_ids: [all],
          ...values,
        })
      ).data
    expect(await impact()).toMatchObject({ devices: 2, lost: [{ id: first, name: 'First', devices: 1 }] })
    expect(await impact({ group_ids: [] })).toMatchObject({ devices: 2, lost: [{ devices: 1 }] })
    expect(await impact({ at_position: 0 })).toMatchObject({ devices: 2, lost: [] })
    expect(await impact({ kind: 'patch' })).toMatchObject({ devices: 2, lost: [] })
    expect(await impact({ policy_id: first })).toMatchObject({ devices: 2, lost: [] })
    const stranger = await backend.client(
      (await createAccount(backend, 'Admin', await createCompany(backend))).email,
    )
    expect(await impact({}, stranger)).toMatchObject({ devices: 0, lost: [] })
  })
})
