import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCompany } from '../support/accounts'
import { drivers, type TestBackend, testBackend } from '../support/backend'
import { type Device, fleetOf } from './agent-functions-fleet'

type State = 'ok' | 'failing' | 'unknown'

describe.each(drivers())('the health of a monitor, on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let fleet: ReturnType<typeof fleetOf>
  let first: Device
  let second: Device
  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    company = await createCompany(backend)
    fleet = fleetOf(backend, company)
    first = await fleet.enroll()
    second = await fleet.enroll()
  })
  afterAll(() => backend?.stop())

  const one = async <R = Record<string, unknown>>(query: string, ...params: unknown[]) =>
    (await backend.sql<R & Record<string, unknown>>(query, params))[0]
  const createMonitor = async (values: Record<string, unknown> = {}): Promise<string> => {
    const row = {
      type: 'Process',
      process_name: 'cron',
      name: `M ${randomUUID()}`,
      company_id: company,
      ...values,
    }
    const names = Object.keys(row)
    const made = await one<{ id: string }>(
      `insert into public.monitors (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')}) returning id`,
      ...Object.values(row),
    )
    return made?.id ?? ''
  }
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
