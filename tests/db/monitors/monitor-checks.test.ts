import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isTarget, type Probe } from '@/pages/monitors/target'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type Device, fleetOf } from '../support/agent-functions-fleet'

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
  let backend: TestBackend
  let company: string
  let other: string
  let fleet: ReturnType<typeof fleetOf>
  let device: Device
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    company = await createCompany(backend)
    other = await createCompany(backend)
    fleet = fleetOf(backend, company)
    device = await fleet.enroll()
  })
  afterAll(() => backend?.stop())

  const one = async <R = Record<string, unknown>>(
    query: string,
    ...params: unknown[]
  ): Promise<R | undefined> => (await backend.sql<R & Record<string, unknown>>(query, params))[0]
  const createMonitor = async (values: Record<string, unknown> = {}, owner = company): Promise<string> => {
    const row = {
      type: 'Process',
      process_name: 'cron',
      name: `M ${randomUUID()}`,
      company_id: owner,
      ...values,
    }
    const names = Object.keys(row)
    const made = await one<{ id: string }>(
      `insert into public.monitors (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')}) returning id`,
      ...Object.values(row),
    )
    return made?.id ?? ''
  }
  const checkIn = (states: readonly unknown[] = [], more: Record<string, unknown> = {}) =>
    fleet.checkIn(device, { monitors_hash: null, monitor_states: states, ...more })
  const given = async () => (await checkIn()).body.monitors as Given[]
  const failing = (id: string, message = 'cron is not running') => ({
    monitor_id: id,
    state: 'failing',
    message,
  })
  const ok = (id: string) => ({ monitor_id: id, state: 'ok', message: '' })
  const alertsOf = (id: string) =>
    backend.sql<{ id: string; status: string; message: string; severity: string }>(
      'select id, status, message, severity from public.alerts where monitor_id = $1 order by opened_at, id',
      [id],
    )

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
    const foreign = await createMonitor({}, other)
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

  it('tells of an alert that opened within the cooldown when it is over and the alert still open', async () => {
    const admin = await createAccount(backend, 'Admin', company)
    const id = await createMonitor({ open_ticket: true, name: 'Cooling' })
    const told = async () => ({
      notified: (
        await one<{ n: number }>(
          `select count(*)::int as n from public.notifications where user_id = $1 and params ->> 'monitor' ~ 'Cooling'`,
          admin.id,
        )
      )?.n,
      tickets: (
        await one<{ n: number }>(`select count(*)::int as n from public.tickets where subject ~ 'Cooling'`)
      )?.n,
    })
    await checkIn([failing(id)])
    await checkIn([ok(id)])
    await checkIn([failing(id)])
    await backend.sql('select app.end_cooldowns()')
    expect(await told()).toEqual({ notified: 1, tickets: 1 })
    await backend.sql(
      `update public.alerts set opened_at = opened_at - interval '61 minutes' where monitor_id = $1`,
      [id],
    )
    await backend.sql('update app.notices set closes_at = now() where user_id = $1', [admin.id])
    await backend.sql('select app.end_cooldowns(), app.end_cooldowns()')
    // The ticket closed with the alert, and opens with it again.
    expect(await told()).toEqual({ notified: 2, tickets: 1 })
    expect(await one(`select status from public.tickets where subject ~ 'Cooling'`)).toEqual({
      status: 'open',
    })
    expect(
      await backend.sql(`select in_cooldown from public.alerts where monitor_id = $1 and status = 'open'`, [
        id,
      ]),
    ).toEqual([{ in_cooldown: false }])
    expect(
      await backend.sql('select times, flapping from public.alerts where monitor_id = $1', [id]),
    ).toEqual([{ times: 2, flapping: 'Flapping, 2 times' }])
    await backend.sql(`delete from public.tickets where subject ~ 'Cooling'`)
    // The second deletion takes it out of the trash, for good.
    await backend.sql(`delete from public.tickets where subject ~ 'Cooling'`)
  })

  it('opens a ticket with the category and the priority of its monitor, and one ticket for a flapping device', async () => {
    const category = (
      await one<{ id: string }>(
        `insert into public.ticket_categories (company_id, name, position) values ($1, 'Servers', 9999) returning id`,
        company,
      )
    )?.id
    const id = await createMonitor({
      open_ticket: true,
      name: 'Flap',
      severity: 'info',
      cooldown_minutes: 0,
      ticket_category_id: category,
      ticket_priority: 'urgent',
    })
    const tickets = () =>
      backend.sql<{ status: string; priority: string; category_id: string; alert_note: string | null }>(
        `select status, priority, category_id, alert_note from public.tickets where subject ~ '^Flap' order by number`,
      )
    for (let round = 0; round < 20; round++) {
      await checkIn([failing(id)])
      await checkIn([ok(id)])
    }
    expect(await tickets()).toEqual([
      {
        status: 'closed',
        priority: 'urgent',
        category_id: category,
        alert_note: 'Closed with its alert: nobody had changed the ticket.',
      },
    ])
    // Two days later it is another failure.
    await backend.sql(
      `update public.tickets set resolved_at = now() - interval '2 days' where subject ~ '^Flap'`,
    )
    await backend.sql(
      `update public.alerts set opened_at = opened_at - interval '2 days', resolved_at = resolved_at - interval '2 days' where monitor_id = $1`,
      [id],
    )
    await checkIn([failing(id)])
    expect((await tickets()).map(({ status }) => status)).toContain('new')
    await backend.sql(`delete from public.tickets where subject ~ '^Flap'`)
    // The second deletion takes it out of the trash, for good.
    await backend.sql(`delete from public.tickets where subject ~ '^Flap'`)
  })

  it('answers the form of the category in the ticket of its alert, as long as the form asks that', async () => {
    const [category] = await backend.sql<{ id: string }>(
      `insert into public.ticket_categories (company_id, name, position, fields)
       values ($1, 'Asked', 9998, '[{"key":"room","label":"Room","kind":"enum","options":["A","B"],"required":true}]') returning id`,
      [company],
    )
    const asked = { open_ticket: true, ticket_category_id: category?.id, cooldown_minutes: 0 }
    await expect(
      createMonitor({ ...asked, name: 'Wrong room', ticket_answers: JSON.stringify({ room: 'C' }) }),
    ).rejects.toThrow(/does not take this answer: room/)
    const answersOf = async (name: string) =>
      (
        await backend.sql<{ answers: unknown }>(
          'select answers from public.tickets where starts_with(subject, $1) order by number',
          [name],
        )
      ).map(({ answers }) => answers)
    const answers = JSON.stringify({ room: 'B' })
    const kept = await createMonitor({ ...asked, name: 'Kept room', ticket_answers: answers })
    await checkIn([failing(kept)])
    expect(await answersOf('Kept room')).toEqual([{ room: 'B' }])
    const outdated = await createMonitor({ ...asked, name: 'Outdated room', ticket_answers: answers })
    await backend.sql(`update public.ticket_categories set fields = '[]' where id = $1`, [category?.id])
    await checkIn([failing(outdated)])
    expect(await answersOf('Outdated room')).toEqual([{}])
    await backend.sql(`delete from public.tickets where category_id = $1`, [category?.id])
    // The first deletion moves them to the trash.
    await backend.sql(`delete from public.tickets where category_id = $1`, [category?.id])
    await backend.sql('delete from public.monitors where ticket_category_id = $1', [category?.id])
  })

  it('leaves a ticket open on which somebody wrote, and says so in the ticket and in its activity', async () => {
    const writer = await createAccount(backend, 'Teknik', company)
    const id = await createMonitor({ open_ticket: true, name: 'Written', cooldown_minutes: 0 })
    const ticket = () =>
      one<{ id: string; status: string; alert_note: string | null }>(
        `select id, status, alert_note from public.tickets where subject ~ '^Written'`,
      )
    await checkIn([failing(id)])
    const opened = await ticket()
    const client = await backend.client(writer.email)
    const { error } = await client
      .from('ticket_comments')
      .insert({ company_id: company, ticket_id: opened?.id, kind: 'note', body: 'I look at it' })
    expect(error).toBeNull()
    await checkIn([ok(id)])
    expect(await ticket()).toEqual({
      id: opened?.id,
      status: opened?.status,
      alert_note: 'The alert is resolved. The ticket stays open because somebody has changed it.',
    })
    expect(
      await backend.sql(
        `select 1 from public.audit_log where table_name = 'tickets' and row_id = $1 and changes ? 'alert_note'`,
        [opened?.id],
      ),
    ).toHaveLength(1)
    await backend.sql(`delete from public.tickets where subject ~ '^Written'`)
    // The second deletion takes it out of the trash, for good.
    await backend.sql(`delete from public.tickets where subject ~ '^Written'`)
  })

  it('names the alert and the repair in its ticket, and says when the alert was resolved', async () => {
    const procedure = await one<{ id: string }>(
      `insert into public.procedures (company_id, name, type, script) values ($1, 'Restart it', 'Bash', 'true') returning id`,
      company,
    )
    const id = await createMonitor({
      open_ticket: true,
      name: 'Linked',
      procedure_id: procedure?.id,
      cooldown_minutes: 0,
    })
    const ticket = () =>
      one(
        `select t.status, t.alert_id, t.alert_message, t.repair_name, t.alert_resolved_at is null as unresolved,
           r.device_id = t.device_id as repairs from public.tickets t
         left join public.job_runs r on r.id = t.repair_run_id where t.subject ~ '^Linked' order by t.number desc limit 1`,
      )
    await checkIn([failing(id)])
    const [alert] = await alertsOf(id)
    const linked = {
      status: 'new',
      alert_id: alert?.id,
      alert_message: 'cron is not running',
      repair_name: 'Restart it',
      repairs: true,
    }
    expect(await ticket()).toEqual({ ...linked, unresolved: true })
    await checkIn([ok(id)])
    expect(await ticket()).toEqual({ ...linked, status: 'closed', unresolved: false })
    expect(
      await one(
        `select count(*)::int as n from public.audit_log where table_name = 'tickets' and changes ? 'alert_resolved_at' and row_id = (select t.id from public.tickets t where t.subject ~ '^Linked')
           and action = 'edit'`,
      ),
    ).toEqual({ n: 1 })
    await backend.sql(
      "update public.alerts set opened_at = opened_at - interval '1 hour' where monitor_id = $1",
      [id],
    )
    await checkIn([failing(id)])
    const again = (await alertsOf(id)).find(({ status }) => status === 'open')
    expect(await ticket()).toMatchObject({ alert_id: again?.id, unresolved: true })
    await backend.sql("delete from public.tickets where subject ~ '^Linked'")
    // The second deletion takes it out of the trash, for good.
    await backend.sql("delete from public.tickets where subject ~ '^Linked'")
  })

  it('opens a ticket where the monitor says so, and no second one while it is open or within the cooldown', async () => {
    const id = await createMonitor({ open_ticket: true, severity: 'critical', name: 'Backup' })
    const quiet = await createMonitor({ name: 'Quiet' })
    const tickets = () =>
      backend.sql<{ subject: string; priority: string; description: string; status: string }>(
        'select subject, priority, description, status from public.tickets where device_id = $1 order by number',
        [device.device_id],
      )
    await checkIn([failing(id, 'no backup since Monday'), failing(quiet)])
    const expected = {
      subject: 'Backup · pc-1',
      priority: 'urgent',
      description: 'no backup since Monday',
      status: 'new',
    }
    expect(await tickets()).toEqual([expected])
    await checkIn([ok(id)])
    expect(await tickets()).toEqual([{ ...expected, status: 'closed' }])
    await checkIn([failing(id)])
    expect(await tickets()).toEqual([{ ...expected, status: 'closed' }])
    await backend.sql(`update public.tickets set status = 'resolved' where device_id = $1`, [
      device.device_id,
    ])
    await checkIn([ok(id)])
    await checkIn([failing(id)])
    expect(await tickets()).toHaveLength(1)
    await checkIn([ok(id)])
    await backend.sql(
      `update public.alerts set opened_at = opened_at - interval '61 minutes' where monitor_id = $1`,
      [id],
    )
    await checkIn([failing(id)])
    expect((await tickets()).map(({ status }) => status)).toEqual(['resolved', 'new'])
  })
})
