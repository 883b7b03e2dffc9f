import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../support/accounts'
import { drivers, type TestBackend, testBackend } from '../support/backend'
import { type Device, fleetOf, result, runIds } from './agent-functions-fleet'

interface Run {
  id: string
  device_id: string
  status: string
  trigger: string
  step: number
  failed_steps: number
  error: string | null
}

interface Matches {
  matches: number
  left_out: number
  rows: { id: string; name: string; reason: string | null }[]
}

describe.each(drivers())('runs of automations on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let other: string
  let fleet: ReturnType<typeof fleetOf>
  let device: Device
  let admin: SupabaseClient
  let standard: SupabaseClient
  let stranger: SupabaseClient
  let count = 0

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    company = await createCompany(backend)
    other = await createCompany(backend)
    fleet = fleetOf(backend, company)
    device = await fleet.enroll()
    const signIn = async (role: string, of: string) =>
      backend.client((await createAccount(backend, role, of)).email)
    admin = await signIn('Admin', company)
    standard = await signIn('Standard', company)
    stranger = await signIn('Admin', other)
  })
  afterAll(() => backend?.stop())

  const add = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const names = Object.keys(values)
    const [row] = await backend.sql<{ id: string }>(
      `insert into public.${table} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')}) returning *`,
      Object.values(values),
    )
    return String(row?.id ?? '')
  }
  const addProcedure = (parameters: unknown[] = []) =>
    add('procedures', {
      company_id: company,
      name: `Step ${++count}`,
      type: 'Bash',
      script: 'true',
      parameters: JSON.stringify(parameters),
    })
  /** An automation with one step for each word. */
  const automationOf = async (
    values: Record<string, unknown> = {},
    steps: readonly string[] = ['stop'],
  ): Promise<string> => {
    const id = await add('automations', { company_id: company, name: `Automation ${++count}`, ...values })
    for (const on_failure of steps)
      await add('automation_steps', {
        company_id: company,
        automation_id: id,
        procedure_id: await addProcedure(),
        on_failure,
      })
    return id
  }
  const target = (id: string, deviceId = device.device_id) =>
    add('automation_devices', { company_id: company, automation_id: id, device_id: deviceId })
  const addGroup = () => add('groups', { company_id: company, name: `Group ${++count}` })
  const linkGroup = (id: string, group: string) =>
    add('automation_groups', { company_id: company, automation_id: id, group_id: group })
  const join = (group: string, deviceId = device.device_id) =>
    add('group_devices', { company_id: company, group_id: group, device_id: deviceId })
  const runsOf = (id: string) =>
    backend.sql<Run & Record<string, unknown>>(
      `select id, device_id, status, trigger, step, failed_steps, error from public.automation_runs
       where automation_id = $1 order by started_at, id`,
      [id],
    )
  const start = (id: string, client = admin, device_ids: string[] | null = null) =>
    client.rpc('run_automation', { automation_id: id, device_ids })
  /** The device takes what is queued for it and reports it. */
  const finish = async (of = device, more: Record<string, unknown> = {}): Promise<number> => {
    const ids = runIds(await fleet.checkIn(of))
    if (ids.length > 0)
      expect(
        (
          await fleet.report(
            of,
            ids.map((id) => result(id, more)),
          )
        ).status,
      ).toBe(200)
    return ids.length
  }
  const failed = { state: 'failed', exit_code: 1 }
  const monitorFor = async (id: string): Promise<string> => {
    const monitor = await add('monitors', {
      company_id: company,
      name: `M ${++count}`,
      type: 'Process',
      process_name: 'cron',
    })
    await add('automation_monitors', { company_id: company, automation_id: id, monitor_id: monitor })
    return monitor
  }
  const setState = (monitor: string, state: string, of = device) =>
    fleet.checkIn(of, { monitors_hash: null, monitor_states: [{ monitor_id: monitor, state, message: 'x' }] })

  it('runs its steps one after the other, by position', async () => {
    const id = await automationOf({}, ['stop', 'stop', 'stop'])
    await target(id)
    const [first] = await backend.sql<{ id: string }>(
      'update public.automation_steps set position = 9 where automation_id = $1 and position = 1 returning id',
      [id],
    )
    expect((await start(id)).data).toBe(1)
    for (const step of [2, 3, 9]) {
      expect(await runsOf(id)).toMatchObject([{ status: 'running', trigger: 'manual', step }])
      expect(await finish()).toBe(1)
    }
    expect(await runsOf(id)).toMatchObject([{ status: 'succeeded', failed_steps: 0, error: null }])
    expect(await finish()).toBe(0)
    const [last] = await backend.sql(
      `select j.name, r.step_id, r.finished_at is not null as over, r.started_by is not null as known
       from public.automation_runs r join public.job_runs x on x.automation_run_id = r.id
       join public.jobs j on j.id = x.job_id where r.automation_id = $1 order by x.queued_at desc limit 1`,
      [id],
    )
    expect(last).toMatchObject({ step_id: first?.id, over: true, known: true })
  })

  it('stops at a step that fails, or goes on where the step says so', async () => {
    const stops = await automationOf({}, ['stop', 'stop'])
    await target(stops)
    await start(stops)
    await finish(device, failed)
    expect(await runsOf(stops)).toMatchObject([{ status: 'failed', step: 1, error: 'step_failed' }])
    expect(await finish()).toBe(0)

    const goesOn = await automationOf({}, ['continue', 'stop'])
    await target(goesOn)
    await start(goesOn)
    await finish(device, failed)
    expect(await runsOf(goesOn)).toMatchObject([{ status: 'running', step: 2, failed_steps: 1 }])
    await finish()
    expect(await runsOf(goesOn)).toMatchObject([{ status: 'partial', failed_steps: 1 }])
  })

  it('treats a script that asks for a value as a failed step', async () => {
    const id = await automationOf({}, ['continue', 'stop'])
    await target(id)
    await backend.sql(
      `update public.procedures set parameters = '[{"name": "host", "kind": "text", "required": true}]'
       where id in (select procedure_id from public.automation_steps where automation_id = $1 and position = 1)`,
      [id],
    )
    await start(id)
    expect(await runsOf(id)).toMatchObject([
      { status: 'running', step: 2, failed_steps: 1, error: 'parameters' },
    ])
    await finish()
    expect(await runsOf(id)).toMatchObject([{ status: 'partial' }])
  })

  it('begins no further step once it is disabled', async () => {
    const id = await automationOf({}, ['stop', 'stop'])
    await target(id)
    await start(id)
    expect((await admin.from('automations').update({ enabled: false }).eq('id', id)).error).toBeNull()
    expect(await finish()).toBe(1)
    expect(await runsOf(id)).toMatchObject([{ status: 'cancelled', step: 1, error: 'disabled' }])
    expect(await finish()).toBe(0)
  })

  it('never runs twice on a device at once', async () => {
    const id = await automationOf()
    await target(id)
    expect((await start(id)).data).toBe(1)
    expect((await start(id)).error).toMatchObject({ hint: 'automation_no_devices' })
    expect(await runsOf(id)).toHaveLength(1)
    await finish()
    expect((await start(id)).data).toBe(1)
    await finish()
  })

  it('ends a run whose step expires', async () => {
    const id = await automationOf()
    await target(id)
    await start(id)
    await backend.sql(
      `update public.jobs set expires_at = now() - interval '1 second' where id in (select x.job_id from public.job_runs x
         join public.automation_runs r on r.id = x.automation_run_id where r.automation_id = $1)`,
      [id],
    )
    await backend.sql('select app.tick()')
    expect(await runsOf(id)).toMatchObject([{ status: 'failed', error: 'step_failed' }])
  })

  it('is canceled, queued or on its device, and queues no further step', async () => {
    const id = await automationOf({}, ['continue', 'stop'])
    await target(id)
    await start(id)
    const cancel = async (client = admin) =>
      client.rpc('cancel_automation_run', { run_id: (await runsOf(id)).at(-1)?.id })
    expect((await cancel(standard)).error).toMatchObject({ code: '42501' })
    expect((await cancel(stranger)).error).toMatchObject({ hint: 'run_gone' })
    expect((await cancel()).data).toBe('cancelled')
    expect(await finish()).toBe(0)

    await start(id)
    const [run] = runIds(await fleet.checkIn(device))
    expect((await cancel()).data).toBe('cancelled')
    expect((await fleet.checkIn(device, { running: [run] })).body.cancel).toEqual([run])
    await fleet.report(device, [result(String(run), { state: 'cancelled', exit_code: null })])
    expect(await runsOf(id)).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }])
    expect(await finish()).toBe(0)
  })

  it('is canceled with the run of its step', async () => {
    const id = await automationOf({}, ['continue', 'stop'])
    await target(id)
    await start(id)
    const [step] = await backend.sql<{ id: string }>(
      `select x.id from public.job_runs x join public.automation_runs r on r.id = x.automation_run_id where r.automation_id = $1`,
      [id],
    )
    expect((await admin.rpc('cancel_run', { run_id: step?.id ?? '' })).data).toBe('cancelled')
    expect(await runsOf(id)).toMatchObject([{ status: 'cancelled', failed_steps: 0 }])
  })

  it('is run by hand by those who may, in their company', async () => {
    const id = await automationOf()
    await target(id)
    expect((await start(id, standard)).error).toMatchObject({ code: '42501', hint: 'role' })
    expect((await start(id, stranger)).error).toMatchObject({ hint: 'automation_gone' })
    expect((await start(id, await backend.client())).error).toMatchObject({ code: '42501' })
    const foreign = await add('devices', { company_id: other, name: 'Foreign' })
    expect((await start(id, admin, [foreign])).error).toMatchObject({ hint: 'device_gone' })
    await backend.sql('update public.automations set enabled = false where id = $1', [id])
    expect((await start(id)).error).toMatchObject({ hint: 'automation_disabled' })
    const empty = await automationOf({}, [])
    expect((await start(empty)).error).toMatchObject({ hint: 'automation_empty' })
    const targetless = await automationOf({ trigger: 'alert' })
    const matches = async (is_manual: boolean) =>
      ((await admin.rpc('automation_matches', { automation_id: targetless, is_manual })).data as Matches)
        .matches
    expect(await matches(true)).toBe(0)
    expect(await matches(false)).toBeGreaterThan(0)
    expect((await start(targetless)).error).toMatchObject({ hint: 'automation_no_devices' })
    expect((await start(targetless, admin, [device.device_id])).data).toBe(1)
    await finish()
  })

  it('shows its runs to the company alone, and nobody writes them', async () => {
    const id = await automationOf()
    await target(id)
    await start(id)
    await finish()
    const read = async (client: SupabaseClient) =>
      (await client.from('automation_runs').select('id').eq('automation_id', id)).data
    expect(await read(admin)).toHaveLength(1)
    expect(await read(stranger)).toEqual([])
    expect(await read(standard)).toEqual([])
    expect(
      (await admin.from('automation_runs').update({ status: 'succeeded' }).eq('automation_id', id)).error,
    ).toMatchObject({
      code: '42501',
    })
  })

  it('runs on the devices of its groups and platform, and previews the same', async () => {
    const group = await addGroup()
    const id = await automationOf({ platform: 'linux', online_only: true })
    await linkGroup(id, group)
    const windows = await add('devices', { company_id: company, name: 'B windows', platform: 'windows' })
    const away = await add('devices', { company_id: company, name: 'A away', platform: 'linux' })
    for (const each of [device.device_id, windows, away]) await join(group, each)
    const matches = async (client = admin, is_left_out = false, page: Record<string, number> = {}) =>
      (await client.rpc('automation_matches', { automation_id: id, is_left_out, ...page })).data as Matches
    expect(await matches()).toMatchObject({ matches: 1, left_out: 2, rows: [{ id: device.device_id }] })
    expect((await matches(admin, true)).rows).toMatchObject([
      { name: 'A away', reason: 'offline' },
      { name: 'B windows', reason: 'platform' },
    ])
    expect((await matches(admin, true, { skip: 1, take: 1 })).rows.map(({ name }) => name)).toEqual([
      'B windows',
    ])
    const nothing = { matches: 0, left_out: 0, rows: [] }
    expect(await matches(stranger)).toEqual(nothing)
    expect(await matches(standard)).toEqual(nothing)
    expect((await start(id)).data).toBe(1)
    expect((await matches(admin, true)).rows).toContainEqual(
      expect.objectContaining({ id: device.device_id, reason: 'running' }),
    )
    await finish()
    expect(await runsOf(id)).toMatchObject([{ device_id: device.device_id, status: 'succeeded' }])
  })

  it('starts when an alert opens on one of its monitors, not again at once, and not for another device', async () => {
    const id = await automationOf({ trigger: 'alert' })
    const named = await automationOf({ trigger: 'alert' })
    await target(named, await add('devices', { company_id: company, name: 'Elsewhere' }))
    const monitor = await monitorFor(id)
    await add('automation_monitors', { company_id: company, automation_id: named, monitor_id: monitor })
    await setState(monitor, 'failing')
    expect(await runsOf(id)).toMatchObject([
      { trigger: 'alert', device_id: device.device_id, status: 'running' },
    ])
    expect(await runsOf(named)).toEqual([])
    await finish()
    // Its own script may have caused the next alert.
    await setState(monitor, 'ok')
    await setState(monitor, 'failing')
    expect(await runsOf(id)).toHaveLength(1)
    const pass = () =>
      backend.sql(
        `update public.automation_runs set finished_at = finished_at - interval '16 minutes' where automation_id = $1 and status <> 'running'`,
        [id],
      )
    for (let runs = 2; runs <= 7; runs++) {
      await pass()
      await setState(monitor, 'ok')
      await setState(monitor, 'failing')
      expect(await runsOf(id)).toHaveLength(Math.min(runs, 5))
      await finish()
    }
  })

  it('starts for a new device, once it is in the group of its token', async () => {
    const everywhere = await automationOf({ trigger: 'new_device' })
    const group = await addGroup()
    const grouped = await automationOf({ trigger: 'new_device' })
    await linkGroup(grouped, group)
    const fresh = await fleet.enroll()
    expect(await runsOf(everywhere)).toMatchObject([{ trigger: 'new_device', device_id: fresh.device_id }])
    expect(await runsOf(grouped)).toEqual([])
    const token = await fleet.createToken()
    await backend.sql(
      `update public.enrollment_tokens set group_id = $2 where id = (select token_id from app.enrollment_secrets
         where token_hash = app.hash_secret($1))`,
      [token, group],
    )
    const member = await fleet.enroll(company, { token })
    expect(await runsOf(grouped)).toMatchObject([{ trigger: 'new_device', device_id: member.device_id }])
    expect(await runsOf(everywhere)).toHaveLength(2)
    // A device that was there already is not new, whatever group it enters.
    await join(group)
    expect(await runsOf(grouped)).toHaveLength(1)
    await backend.sql(`update public.automations set enabled = false where trigger = 'new_device'`)
  })

  it('starts when a device enters one of its groups', async () => {
    const group = await addGroup()
    const id = await automationOf({ trigger: 'enters_group' })
    await linkGroup(id, group)
    await join(await addGroup())
    expect(await runsOf(id)).toEqual([])
    const member = await add('devices', { company_id: company, name: 'Member' })
    await join(group, member)
    expect(await runsOf(id)).toMatchObject([{ trigger: 'enters_group', device_id: member }])
    const [run] = await backend.sql('select group_id from public.automation_runs where automation_id = $1', [
      id,
    ])
    expect(run).toEqual({ group_id: group })
  })

  it('starts by its schedule, once, and skips a time that passed long ago', async () => {
    const id = await automationOf({ trigger: 'schedule', frequency: 'every', every_minutes: 60 })
    await target(id)
    const due = (ago: string) =>
      backend.sql('update public.automations set next_run_at = now() - $2::interval where id = $1', [id, ago])
    const clock = async () =>
      (
        await backend.sql(
          'select next_run_at > now() as ahead, last_run_at is not null as ran, version from public.automations where id = $1',
          [id],
        )
      )[0]
    expect(await clock()).toMatchObject({ ahead: true, ran: false })
    await due('1 hour')
    await backend.sql('select app.tick()')
    expect(await clock()).toMatchObject({ ahead: true, ran: false })
    await due('1 minute')
    await Promise.all([backend.sql('select app.tick()'), backend.sql('select app.tick()')])
    expect(await runsOf(id)).toMatchObject([{ trigger: 'schedule', device_id: device.device_id }])
    // What the tick writes does not outdate an open form.
    expect(await clock()).toEqual({ ahead: true, ran: true, version: 1 })
    await finish()
  })

  it('runs nothing while the license has ended or is not Pro', async () => {
    const id = await automationOf({ trigger: 'schedule' }, ['stop', 'stop'])
    await target(id)
    await start(id)
    const license = (values: string) =>
      backend.sql(`update public.companies set ${values} where id = $1`, [company])
    const [run] = runIds(await fleet.checkIn(device))
    await license(`license_end_date = now() - interval '1 second'`)
    await fleet.report(device, [result(String(run))])
    expect(await runsOf(id)).toMatchObject([{ status: 'failed', error: 'license' }])
    expect((await start(id)).error).toMatchObject({ code: '42501', hint: 'read-only' })
    await license(`license_end_date = null, license_type = 'Basic'`)
    expect((await start(id)).error).toMatchObject({ code: '42501', hint: 'without-pro' })
    await backend.sql('update public.automations set next_run_at = now() where id = $1', [id])
    await backend.sql('select app.tick()')
    const alerted = await automationOf({ trigger: 'alert' })
    await setState(await monitorFor(alerted), 'failing')
    expect(await runsOf(alerted)).toEqual([])
    expect(await runsOf(id)).toHaveLength(1)
    await license(`license_type = 'Pro'`)
  })

  it('starts on many devices with one job for each thousand', async () => {
    const group = await addGroup()
    const id = await automationOf()
    await linkGroup(id, group)
    await backend.sql(
      `with made as (insert into public.devices (company_id, name) select $1, 'Many ' || n from generate_series(1, 1200) n returning id)
       insert into public.group_devices (company_id, group_id, device_id) select $1, $2, made.id from made`,
      [company, group],
    )
    expect((await start(id)).data).toBe(1200)
    expect(
      await backend.sql(
        `select count(distinct x.job_id)::int as jobs, count(*)::int as runs from public.job_runs x
         join public.automation_runs r on r.id = x.automation_run_id where r.automation_id = $1`,
        [id],
      ),
    ).toEqual([{ jobs: 2, runs: 1200 }])
  })

  it('never fails a check-in: the error is in the log of the tick', async () => {
    const id = await automationOf({ trigger: 'alert' })
    const monitor = await monitorFor(id)
    await backend.sql('alter table public.automation_runs add constraint tried check (false) not valid')
    expect((await setState(monitor, 'failing')).status).toBe(200)
    await backend.sql('alter table public.automation_runs drop constraint tried')
    expect(
      await backend.sql(
        `select error like $1 || ' 23514%' as told from app.tick_log where step = 'automations'`,
        [id],
      ),
    ).toEqual([{ told: true }])
  })

  it('hands out no step that a policy denies, not even the one that a denied step lets follow', async () => {
    const id = await automationOf({}, ['continue', 'stop'])
    await target(id)
    const policy = await add('policies', {
      company_id: company,
      name: 'Nothing runs',
      kind: 'permission',
      denied: '{procedure}',
    })
    await start(id)
    expect(await finish()).toBe(0)
    expect(await finish()).toBe(0)
    expect(await runsOf(id)).toMatchObject([{ status: 'failed', step: 2, failed_steps: 2 }])
    await backend.sql('delete from public.policies where id = $1', [policy])
  })

  // Last: it takes permission lines away.
  it('gives nobody what they may not run by hand, through a group or a monitor', async () => {
    const teknik = await backend.client((await createAccount(backend, 'Teknik', company)).email)
    const remove = (object: string) =>
      backend.sql(`delete from app.policy_rule where v0 = 'Teknik' and v1 = $1 and v2 = 'run'`, [object])
    await remove('automations')
    const entered = await automationOf({ trigger: 'enters_group' })
    const group = await addGroup()
    await linkGroup(entered, group)
    const row = { company_id: company, group_id: group, device_id: device.device_id }
    expect((await teknik.from('group_devices').insert(row)).error?.hint).toBe('group_of_automation')
    expect((await admin.from('group_devices').insert(row)).error).toBeNull()
    const monitor = { company_id: company, name: 'Guarded', type: 'Process', process_name: 'x' }
    const repairing = { ...monitor, procedure_id: await addProcedure() }
    expect((await teknik.from('monitors').insert(repairing)).error).toBeNull()
    await remove('procedures')
    const others = { ...repairing, name: 'Another' }
    expect((await teknik.from('monitors').insert(others)).error).toMatchObject({
      code: '42501',
      hint: 'role',
    })
    expect((await teknik.from('monitors').insert({ ...monitor, name: 'Plain' })).error).toBeNull()
    const change = teknik.from('monitors').update({ restart: true }).eq('name', 'Plain')
    expect((await change).error).toMatchObject({ code: '42501', hint: 'role' })
  })
})

describe('steps', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await testBackend({ demo: false })
  })
  afterAll(() => backend?.stop())

  it('are written with their automation, by those who may run it', async () => {
    const company = await createCompany(backend)
    const teknik = await backend.client((await createAccount(backend, 'Teknik', company)).email)
    const { data: automation } = await teknik
      .from('automations')
      .insert({ company_id: company, name: 'Made' })
      .select('id')
      .single()
    const [procedure] = await backend.sql<{ id: string }>(
      `insert into public.procedures (company_id, name, type, script) values ($1, 'P', 'Bash', 'true') returning id`,
      [company],
    )
    const row = (values: Record<string, unknown> = {}) => ({
      changes: { company_id: company, procedure_id: procedure?.id, ...values },
    })
    const { data } = await teknik.rpc('save_children', {
      resource: 'automation_steps',
      by: 'automation_id',
      parent: automation?.id,
      rows: [row(), row({ on_failure: 'continue' }), row({ position: 7 }), row()],
    })
    expect((data as { outcome: string }[]).map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 4 }, () => 'created'),
    )
    const { data: steps } = await teknik
      .from('automation_steps')
      .select('position,on_failure')
      .order('position')
    expect(steps).toEqual([
      { position: 1, on_failure: 'stop' },
      { position: 2, on_failure: 'continue' },
      { position: 7, on_failure: 'stop' },
      { position: 8, on_failure: 'stop' },
    ])
    await backend.sql(`delete from app.policy_rule where v0 = 'Teknik' and v1 = 'automations' and v2 = 'run'`)
    const { error } = await teknik.from('automation_steps').update({ on_failure: 'stop' }).eq('position', 1)
    expect(error).toMatchObject({ code: '42501', hint: 'role' })
    expect(
      (await teknik.from('automations').update({ enabled: true }).eq('name', 'Made')).error,
    ).toMatchObject({
      code: '42501',
    })
  })
})
