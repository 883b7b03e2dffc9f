import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isTarget, type Probe } from '@/pages/monitors/target'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers } from '../../support/backend'
import {
  alertsOf,
  backend,
  checkIn,
  company,
  createMonitor,
  device,
  failing,
  fleet,
  ok,
  one,
  openMonitors,
} from './support'

/** The targets that a probe takes, and those it does not. */
const TARGETS: [Probe, string[], string[]][] = [
  ['ping', ['srv-erp', '10.20.0.1', 'fe80::1%eth0', '0::1'], ['a b', 'srv:80', '-c1', 'http://a']],
  [
    'tcp',
    ['srv-erp:3389', '[fe80::1]:443', '10.0.0.1:65535'],
    ['srv-erp', 'a:0', 'a:65536', 'http://a:80', ':80'],
  ],
  [
    'http',
    ['https://erp.test/health', 'HTTP://10.0.0.1:8080'],
    ['erp.test', 'ftp://a', 'https://', 'http:// a'],
  ],
]

interface Given {
  id: string
  type: string
}

describe.each(drivers())('monitors that devices check, on %s', (driver) => {
  openMonitors(driver)

  const given = async () => (await checkIn()).body.monitors as Given[]

  it('gives a device its monitors once, and again when they change', async () => {
    const id = await createMonitor({ repeat_count: 2, check_interval: 30, severity: 'critical' })
    const first = await checkIn()
    const hash = first.body.monitors_hash
    expect(first.body.monitors).toContainEqual({
      id,
      type: 'Process',
      interval_seconds: 30,
      repeat_count: 2,
      metric: 'cpu',
      above_percent: 90,
      restart: false,
      probe: 'ping',
      process_name: 'cron',
      process_state: 'stopped',
      event_minutes: 15,
      event_count: 1,
    })
    const again = await checkIn([], { monitors_hash: hash })
    expect(again.body).not.toHaveProperty('monitors')
    expect(
      await one(
        "select last_check_at > now() - interval '1 minute' as now from public.monitors where id = $1",
        id,
      ),
    ).toEqual({ now: true })
    await backend.sql('update public.monitors set enabled = false where id = $1', [id])
    const later = await checkIn([], { monitors_hash: hash })
    expect(later.body.monitors_hash).not.toBe(hash)
    expect((later.body.monitors as Given[]).map((monitor) => monitor.id)).not.toContain(id)
    // An agent that knows of none is not troubled.
    expect((await fleet.checkIn(device)).body).not.toHaveProperty('monitors')
  })

  it('checks the devices of its groups alone, if it has any', async () => {
    const id = await createMonitor()
    const group = await one<{ id: string }>(
      `insert into public.groups (company_id, name) values ($1, 'Servers') returning id`,
      company,
    )
    await backend.sql(
      'insert into public.monitor_groups (company_id, monitor_id, group_id) values ($1, $2, $3)',
      [company, id, group?.id],
    )
    const has = async () => (await given()).some((monitor) => monitor.id === id)
    expect(await has()).toBe(false)
    await checkIn([failing(id)])
    expect(await alertsOf(id)).toEqual([])
    await backend.sql(
      'insert into public.group_devices (company_id, group_id, device_id) values ($1, $2, $3)',
      [company, group?.id, device.device_id],
    )
    expect(await has()).toBe(true)
  })

  it('opens one alert, tells the people who handle it, and resolves it when the check succeeds', async () => {
    const id = await createMonitor({ severity: 'critical', name: 'Cron runs' })
    const people = await createAccount(backend, 'Teknik', company)
    const bystander = await createAccount(backend, 'Standard', company)
    await checkIn([ok(id)])
    expect(await alertsOf(id)).toEqual([])
    await checkIn([failing(id)])
    await checkIn([failing(id, 'again')])
    expect(await alertsOf(id)).toMatchObject([
      { status: 'open', message: 'cron is not running', severity: 'critical' },
    ])
    expect(await one('select is_active from public.monitors where id = $1', id)).toEqual({ is_active: false })
    expect(await one('select state, message from public.monitor_states where monitor_id = $1', id)).toEqual({
      state: 'failing',
      message: 'cron is not running',
    })
    const told = (user: string) =>
      backend.sql(
        `select kind, params ->> 'monitor' as monitor from public.notifications where user_id = $1`,
        [user],
      )
    expect(await told(people.id)).toEqual([
      { kind: 'alert_opened', monitor: expect.stringMatching(/^Cron runs · /) },
    ])
    expect(await told(bystander.id)).toEqual([])
    await checkIn([ok(id)])
    expect(await alertsOf(id)).toMatchObject([{ status: 'resolved' }])
    expect(await one('select is_active from public.monitors where id = $1', id)).toEqual({ is_active: true })
    // A flapping monitor is told once an hour.
    await checkIn([failing(id)])
    expect(await alertsOf(id)).toHaveLength(1)
    expect(await told(people.id)).toHaveLength(1)
  })

  it('takes only a target that its probe can check', async () => {
    const network = (probe: string, target: string) =>
      createMonitor({ type: 'Network', process_name: null, probe, target }).then(
        () => 'taken',
        (error: unknown) => String(error),
      )
    for (const [probe, good, bad] of TARGETS) {
      for (const target of good) {
        expect(isTarget(probe, target), target).toBe(true)
        expect(await network(probe, target), target).toBe('taken')
      }
      for (const target of bad) {
        expect(isTarget(probe, target), target).toBe(false)
        expect(await network(probe, target), target).toContain(`not a target of the probe ${probe}`)
      }
    }
    // A monitor of before stays as it is, and machines write its row.
    const id = await createMonitor({ type: 'Network', process_name: null, probe: 'ping', target: 'a.test' })
    await backend.sql('alter table public.monitors disable trigger monitors_target_update')
    await backend.sql("update public.monitors set target = 'a b' where id = $1", [id])
    await backend.sql('alter table public.monitors enable trigger monitors_target_update')
    await checkIn([failing(id)])
    expect(await alertsOf(id)).toHaveLength(1)
    await backend.sql("update public.monitors set name = 'Old', target = target where id = $1", [id])
    await expect(backend.sql("update public.monitors set probe = 'tcp' where id = $1", [id])).rejects.toThrow(
      'not a target of the probe tcp',
    )
    await backend.sql("delete from public.monitors where type = 'Network'")
  })

  it('leaves the alert to people where it should', async () => {
    const id = await createMonitor({ auto_resolve: false })
    await checkIn([failing(id)])
    await checkIn([ok(id)])
    expect(await alertsOf(id)).toMatchObject([{ status: 'open' }])
  })

  it('runs its script on the device when it opens an alert, once', async () => {
    const procedure = await one<{ id: string }>(
      `insert into public.procedures (company_id, name, type, script) values ($1, 'Start cron', 'Bash', 'service cron start') returning id`,
      company,
    )
    const id = await createMonitor({ procedure_id: procedure?.id })
    const jobs = () =>
      backend.sql(
        `select j.name, r.device_id from public.jobs j join public.job_runs r on r.job_id = j.id where j.procedure_id = $1`,
        [procedure?.id],
      )
    await checkIn([failing(id)])
    await checkIn([failing(id)])
    expect(await jobs()).toEqual([{ name: 'Start cron', device_id: device.device_id }])
    await backend.sql(
      `update public.procedures set parameters = '[{"name": "host", "kind": "text", "required": true}]' where id = $1`,
      [procedure?.id],
    )
    await checkIn([ok(id)])
    await checkIn([failing(id)])
    expect(await jobs()).toHaveLength(1)
    expect(await alertsOf(id)).toMatchObject([{ status: 'open' }])
  })

  it('takes no state for a monitor of another company, a disabled one, or none', async () => {
    const foreign = await createMonitor({}, await createCompany(backend))
    const off = await createMonitor({ enabled: false })
    const { status } = await checkIn([
      failing(foreign),
      failing(off),
      failing(randomUUID()),
      { monitor_id: 'x', state: 'failing' },
      { monitor_id: off, state: 'broken' },
      'text',
    ])
    expect(status).toBe(200)
    for (const id of [foreign, off]) expect(await alertsOf(id)).toEqual([])
    expect((await checkIn(Array.from({ length: 201 }, () => ok(off)))).status).toBe(413)
    expect((await given()).map(({ id }) => id)).not.toContain(foreign)
  })

  it('keeps hostile text as text, within its bounds', async () => {
    const id = await createMonitor()
    await checkIn([failing(id, `<img src=x onerror=alert(1)>${'x'.repeat(5000)}`)])
    const [alert] = await alertsOf(id)
    expect(alert?.message).toMatch(/^<img src=x onerror=alert\(1\)>x+$/)
    expect(alert?.message.length).toBeLessThanOrEqual(500)
  })

  it('gives nothing to check while the license has ended', async () => {
    expect((await given()).length).toBeGreaterThan(0)
    await backend.sql(`update public.companies set status = 'Suspended' where id = $1`, [company])
    expect(await given()).toEqual([])
    await backend.sql(`update public.companies set status = 'Active' where id = $1`, [company])
  })
})
