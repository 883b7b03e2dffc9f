import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers } from '../../support/backend'
import type { Device } from '../support/agent-functions-fleet'
import { backend, company, createMonitor, device as first, fleet, one, openMonitors } from './support'

type State = 'ok' | 'failing' | 'unknown'

describe.each(drivers())('the health of a monitor, on %s', (driver) => {
  openMonitors(driver)

  let second: Device
  beforeAll(async () => {
    second = await fleet.enroll()
  })

  const report = (device: Device, id: string, state: State, message = '') =>
    fleet.checkIn(device, {
      monitors_hash: null,
      monitor_states: [{ monitor_id: id, state, message }],
    })
  const healthOf = async (id: string) =>
    (await one<{ health: string }>('select health from public.monitors where id = $1', id))?.health

  it('is not good before a device has made the check', async () => {
    const id = await createMonitor()
    expect(await healthOf(id)).toBe('not_checked')
    await report(first, id, 'unknown', 'This device has no service x')
    expect(await healthOf(id)).toBe('unknown')
    await report(second, id, 'ok')
    expect(await healthOf(id)).toBe('healthy')
    await report(first, id, 'failing', 'cron is not running')
    expect(await healthOf(id)).toBe('failing')
    expect(await one('select is_active from public.monitors where id = $1', id)).toEqual({ is_active: false })
    await report(first, id, 'ok')
    expect(await healthOf(id)).toBe('healthy')
    expect(await one('select is_active from public.monitors where id = $1', id)).toEqual({ is_active: true })
  })

  it('is not touched by a check-in that brings nothing new', async () => {
    const id = await createMonitor()
    await report(first, id, 'ok')
    const of = () => one('select ctid::text as place, updated_at from public.monitors where id = $1', id)
    const before = await of()
    await report(first, id, 'ok')
    await report(second, id, 'ok')
    expect(await of()).toEqual(before)
  })

  it('is that of the devices that the monitor still has', async () => {
    const id = await createMonitor()
    await report(first, id, 'failing', 'cron is not running')
    await report(second, id, 'ok')
    const group = await one<{ id: string }>(
      `insert into public.groups (company_id, name) values ($1, $2) returning id`,
      company,
      `G ${randomUUID()}`,
    )
    await backend.sql(
      'insert into public.group_devices (company_id, group_id, device_id) values ($1, $2, $3)',
      [company, group?.id, second.device_id],
    )
    await backend.sql(
      'insert into public.monitor_groups (company_id, monitor_id, group_id) values ($1, $2, $3)',
      [company, id, group?.id],
    )
    await backend.sql("update public.alerts set status = 'resolved' where monitor_id = $1", [id])
    expect(await healthOf(id)).toBe('failing')
    await backend.sql('select app.sweep_monitor_states()')
    expect(await healthOf(id)).toBe('healthy')
    expect(await one('select count(*)::int as left from app.monitor_sweeps')).toEqual({ left: 0 })
    await backend.sql('delete from public.group_devices where group_id = $1', [group?.id])
    await backend.sql('select app.sweep_monitor_states()')
    expect(await healthOf(id)).toBe('not_checked')
  })

  it('ends with the switch, and with the device', async () => {
    const id = await createMonitor()
    const gone = await fleet.enroll()
    await report(gone, id, 'ok')
    await backend.sql('update public.monitors set enabled = false where id = $1', [id])
    expect(await healthOf(id)).toBe('not_checked')
    await backend.sql('update public.monitors set enabled = true where id = $1', [id])
    expect(await healthOf(id)).toBe('healthy')
    await backend.sql('delete from public.devices where id = $1', [gone.device_id])
    expect(await healthOf(id)).toBe('not_checked')
  })

  const alertsOf = (id: string) =>
    backend.sql<{ status: string; in_cooldown: boolean }>(
      'select status, in_cooldown from public.alerts where monitor_id = $1 order by opened_at, id',
      [id],
    )
  const resolve = async (id: string) => {
    const client = await backend.client((await createAccount(backend, 'Admin', company)).email)
    const rows = await backend.sql<{ id: string }>('select id from public.alerts where monitor_id = $1', [id])
    const ids = rows.map((row) => row.id)
    const failing = await client.rpc('still_failing', { ids })
    const first = await client.rpc('decide_alerts', { ids, status: 'resolved' })
    const again = await client.rpc('decide_alerts', { ids, status: 'resolved' })
    return [failing.data, first.data, again.data, again.error]
  }
  const past = (id: string, minutes: number) =>
    backend.sql(
      `with a as (update public.alerts set opened_at = opened_at - make_interval(mins => $2) where monitor_id = $1)
       update public.monitor_states set reopen_at = reopen_at - make_interval(mins => $2) where monitor_id = $1`,
      [id, minutes],
    )

  it('stays failing when a person resolves the alert, which opens again after the cooldown', async () => {
    const id = await createMonitor({ cooldown_minutes: 30 })
    await report(first, id, 'failing', 'cron is not running')
    expect(await resolve(id)).toEqual([1, 1, 0, null])
    expect(await healthOf(id)).toBe('failing')
    expect(await one('select is_active from public.monitors where id = $1', id)).toEqual({ is_active: false })
    // A restarted agent tells every state again.
    await report(first, id, 'failing', 'cron is not running')
    await backend.sql('select app.reopen_alerts()')
    expect(await alertsOf(id)).toMatchObject([{ status: 'resolved' }])
    await past(id, 31)
    await backend.sql('select app.reopen_alerts()')
    await backend.sql('select app.reopen_alerts()')
    expect(await alertsOf(id)).toEqual([
      { status: 'resolved', in_cooldown: false },
      { status: 'open', in_cooldown: false },
    ])
    // Deleting it silences it no more than resolving it.
    await backend.sql("delete from public.alerts where monitor_id = $1 and status = 'open'", [id])
    await past(id, 31)
    await backend.sql('select app.reopen_alerts()')
    expect((await alertsOf(id)).map(({ status }) => status)).toEqual(['resolved', 'open'])
    await report(first, id, 'ok')
    await past(id, 31)
    await backend.sql('select app.reopen_alerts()')
    expect((await alertsOf(id)).map(({ status }) => status)).toEqual(['resolved', 'resolved'])
    expect(await healthOf(id)).toBe('healthy')
    expect((await resolve(id)).slice(0, 2)).toEqual([0, 0])
  })

  it('opens no alert again for a monitor that was disabled, or a device in maintenance', async () => {
    const id = await createMonitor({ cooldown_minutes: 0 })
    await report(first, id, 'failing')
    await resolve(id)
    await backend.sql('update public.monitors set enabled = false where id = $1', [id])
    await backend.sql('select app.reopen_alerts()')
    expect((await alertsOf(id)).map(({ status }) => status)).toEqual(['resolved'])
    await backend.sql('update public.monitors set enabled = true where id = $1', [id])
    const suppressed = await createMonitor({ cooldown_minutes: 0 })
    await report(second, suppressed, 'failing')
    await resolve(suppressed)
    const maintain = (until: string | null) =>
      backend.sql('update public.devices set maintenance_until = $2::timestamptz where id = $1', [
        second.device_id,
        until,
      ])
    await maintain('2100-01-01')
    await backend.sql('select app.reopen_alerts()')
    expect(await healthOf(suppressed)).toBe('suppressed')
    expect((await alertsOf(suppressed)).map(({ status }) => status)).toEqual(['resolved'])
    await maintain(null)
    await backend.sql('select app.raise_suppressed()')
    expect(await healthOf(suppressed)).toBe('failing')
    expect((await alertsOf(suppressed)).map(({ status }) => status)).toEqual(['open'])
  })

  it('takes a new message of a failure, once in four minutes', async () => {
    const id = await createMonitor()
    const shown = async () =>
      (await one<{ message: string }>('select message from public.monitor_states where monitor_id = $1', id))
        ?.message
    await report(first, id, 'failing', 'CPU at 91.0 %, above 90 %')
    await report(first, id, 'failing', 'CPU at 97.0 %, above 90 %')
    expect(await shown()).toBe('CPU at 91.0 %, above 90 %')
    await backend.sql('alter table public.monitor_states disable trigger monitor_states_touch')
    await backend.sql(
      "update public.monitor_states set updated_at = now() - interval '5 minutes' where monitor_id = $1",
      [id],
    )
    await backend.sql('alter table public.monitor_states enable trigger monitor_states_touch')
    await report(first, id, 'failing', 'CPU at 98.0 %, above 90 %')
    expect(await shown()).toBe('CPU at 98.0 %, above 90 %')
    expect(await alertsOf(id)).toHaveLength(1)
  })

  it('lets nobody suppress an alert by hand, or open one that a maintenance suppressed', async () => {
    const id = await createMonitor()
    await report(first, id, 'failing')
    const client = await backend.client((await createAccount(backend, 'Admin', company)).email)
    const set = (status: string) =>
      client
        .from('alerts')
        .update({ status } as never)
        .eq('monitor_id', id)
    expect((await set('suppressed')).error?.code).toBe('23514')
    await backend.sql(
      "update public.alerts set status = 'suppressed', suppressed_by = 'x' where monitor_id = $1",
      [id],
    )
    expect((await set('open')).error?.code).toBe('23514')
    const foreign = await backend.client(
      (await createAccount(backend, 'Admin', await createCompany(backend))).email,
    )
    const standard = await backend.client((await createAccount(backend, 'Standard', company)).email)
    const ids = (await backend.sql<{ id: string }>('select id from public.alerts')).map((row) => row.id)
    expect((await foreign.rpc('still_failing', { ids })).data).toBe(0)
    expect((await standard.rpc('still_failing', { ids })).error?.code).toBe('42501')
    expect((await (await backend.client()).rpc('still_failing', { ids })).error?.code).toBe('42501')
  })

  it('is good for the monitors that the console evaluates, once it has', async () => {
    const id = await createMonitor({
      type: 'Offline',
      process_name: null,
      check_interval: null,
      repeat_count: null,
    })
    expect(await healthOf(id)).toBe('not_checked')
    await backend.sql('select app.watch_offline()')
    expect(await healthOf(id)).toBe('healthy')
    await backend.sql('delete from public.monitors where id = $1', [id])
  })
})
