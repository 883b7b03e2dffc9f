import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type Device, fleetOf, result, runIds } from '../support/agent-functions-fleet'
import type { Person } from '../support/script-desk'

let backend: TestBackend
let company: string
/** Sets what is to act, and loses the right. */
let holder: Person
let successor: Person
let teknik: Person
let standard: Person
let fleet: ReturnType<typeof fleetOf>
let device: Device
let script: string
let group: string

const person = async (role: string, of = company): Promise<Person> => {
  const account = await createAccount(backend, role, of)
  return { ...account, client: await backend.client(account.email) }
}
const add = async (table: string, values: object, by = holder): Promise<string> => {
  const { data, error } = await by.client
    .from(table)
    .insert({ company_id: company, ...values })
    .select('id')
    .single()
  if (error) throw error
  return data.id
}
const read = async (table: string, id: string) =>
  (
    await backend.sql<{ set_by: string | null; paused_for: string | null; enabled: boolean }>(
      `select set_by, paused_for, enabled from public.${table} where id = $1`,
      [id],
    )
  )[0]
const lower = () =>
  backend.sql(`update public.user_roles set role = 'Standard' where user_id = $1`, [holder.id])
const deactivate = () => successor.client.rpc('deactivate_users', { ids: [holder.id] })
const takeOver = async (resource: string, id: string, by = successor) =>
  (await by.client.rpc('take_over', { resource, ids: [id] })).error
const missing = async (by: Person, link: string) =>
  (
    (await by.client.from('notifications').select('params,link').eq('kind', 'right_missing')).data ?? []
  ).filter((row) => row.link === link)
const due = async (id: string) => {
  await backend.sql(
    `update public.scheduled_tasks set next_run_at = now() - interval '1 minute' where id = $1`,
    [id],
  )
  await backend.sql('select app.tick()')
  const [row] = await backend.sql<{ jobs: number }>(
    'select count(*)::int as jobs from public.jobs where schedule_id = $1',
    [id],
  )
  return row?.jobs
}

describe.each(drivers())('what somebody set, on %s', (driver) => {
  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    company = await createCompany(backend)
    ;[holder, successor, teknik, standard] = (await Promise.all([
      person('Admin'),
      person('Admin'),
      person('Teknik'),
      person('Standard'),
    ])) as [Person, Person, Person, Person]
    await backend.sql(`update public.profiles set name = 'Ada' where id = $1`, [holder.id])
    fleet = fleetOf(backend, company)
    device = await fleet.enroll()
    script = await add('procedures', { name: 'S', type: 'Bash', script: 'id' })
    group = await add('groups', { name: 'G' })
    await holder.client
      .from('group_devices')
      .insert({ company_id: company, group_id: group, device_id: device.device_id })
  })

  describe.each([
    ['one device', () => ({ kind: 'devices', device_ids: [device.device_id] })],
    ['one group', () => ({ kind: 'groups', group_ids: [group] })],
    ['all devices', () => ({ kind: 'all' })],
    ['a filter', () => ({ kind: 'filter', filter: { id: { _eq: device.device_id } } })],
  ])('a schedule on %s', (_what, target) => {
    const schedule = () =>
      add('scheduled_tasks', {
        name: 'Nightly',
        procedure_id: script,
        frequency: 'every',
        every_minutes: 60,
        target: target(),
      })

    it('pauses when its holder was lowered, says whose right is missing, and goes on with somebody else', async () => {
      const id = await schedule()
      expect(await due(id)).toBe(1)
      await lower()
      expect(await due(id)).toBe(1)
      expect(await read('scheduled_tasks', id)).toEqual({
        set_by: holder.id,
        paused_for: 'Ada',
        enabled: false,
      })
      const link = `/scheduled-tasks/${id}`
      expect(await missing(successor, link)).toEqual([{ link, params: { name: 'Nightly', person: 'Ada' } }])
      expect(await missing(standard, link)).toEqual([])
      expect(await takeOver('scheduled_tasks', id)).toBeNull()
      expect(await read('scheduled_tasks', id)).toEqual({
        set_by: successor.id,
        paused_for: null,
        enabled: true,
      })
      expect(await due(id)).toBe(2)
      const [job] = await backend.sql(
        'select created_by from public.jobs where schedule_id = $1 order by created_at desc limit 1',
        [id],
      )
      expect(job).toEqual({ created_by: successor.id })
    })

    it('pauses when its holder was deactivated', async () => {
      const id = await schedule()
      expect((await deactivate()).error).toBeNull()
      expect(await due(id)).toBe(0)
      expect(await read('scheduled_tasks', id)).toMatchObject({ paused_for: 'Ada', enabled: false })
    })
  })

  it('is a schedule of the operator, who has no account, and runs on', async () => {
    const [row] = await backend.sql<{ id: string }>(
      `insert into public.scheduled_tasks (company_id, name, procedure_id, target_kind, frequency, every_minutes)
       values ($1, 'Seed', $2, 'all', 'every', 60) returning id`,
      [company, script],
    )
    expect(await due(row?.id ?? '')).toBe(1)
  })

  it('is resumed by pausing and starting it, and pauses again until somebody takes it over', async () => {
    const id = await add('scheduled_tasks', {
      name: 'T',
      procedure_id: script,
      frequency: 'every',
      every_minutes: 60,
      target: { kind: 'all' },
    })
    await lower()
    await due(id)
    await successor.client.rpc('pause_schedules', { ids: [id], paused: false })
    expect(await due(id)).toBe(0)
    expect(await read('scheduled_tasks', id)).toMatchObject({ enabled: false })
  })

  it.each([
    ['skip', 'missed', 0],
    ['run_once', 'done', 1],
  ])(
    'is a schedule that runs once: paused, it never ran, and taken over late with %s it is %s',
    async (missed_run, state, jobs) => {
      const id = await add('scheduled_tasks', {
        name: 'Once',
        procedure_id: script,
        frequency: 'once',
        missed_run,
        starts_at: new Date(Date.now() + 60_000).toISOString(),
        target: { kind: 'all' },
      })
      const now = async () =>
        (
          await backend.sql(
            'select state, last_run_at is not null as ran from public.scheduled_tasks where id = $1',
            [id],
          )
        )[0]
      await lower()
      await backend.sql(
        `update public.scheduled_tasks set starts_at = now() - interval '1 hour', missed_run = 'run_once' where id = $1`,
        [id],
      )
      await backend.sql('select app.tick()')
      await backend.sql('update public.scheduled_tasks set missed_run = $2 where id = $1', [id, missed_run])
      expect(await now()).toEqual({ state: 'paused', ran: false })
      expect(await takeOver('scheduled_tasks', id)).toBeNull()
      expect(await now()).toEqual({ state: 'active', ran: false })
      await backend.sql('select app.tick()')
      expect(await now()).toEqual({ state, ran: jobs > 0 })
      expect(await backend.sql('select 1 from public.jobs where schedule_id = $1', [id])).toHaveLength(jobs)
      const { error } = await successor.client
        .from('scheduled_tasks')
        .update({ starts_at: new Date(Date.now() + 3_600_000).toISOString() })
        .eq('id', id)
      expect(error).toBeNull()
      expect(await now()).toMatchObject({ state: 'active' })
    },
  )

  it('is an automation that runs once: paused, it has no last run', async () => {
    const id = await add('automations', {
      name: 'Once',
      trigger: 'schedule',
      frequency: 'once',
      starts_at: new Date(Date.now() + 60_000).toISOString(),
    })
    await add('automation_steps', { automation_id: id, procedure_id: script, position: 1 })
    const { error } = await holder.client
      .from('automation_devices')
      .insert({ company_id: company, automation_id: id, device_id: device.device_id })
    expect(error).toBeNull()
    await lower()
    await backend.sql(`update public.automations set starts_at = now() - interval '1 minute' where id = $1`, [
      id,
    ])
    await backend.sql('select app.tick()')
    const last = `select paused_for, last_run_at, next_run_at from public.automations where id = $1`
    expect(await backend.sql(last, [id])).toEqual([
      { paused_for: 'Ada', last_run_at: null, next_run_at: null },
    ])
  })

  it('is counted for whoever would deactivate its holder, in their own company', async () => {
    await add('scheduled_tasks', {
      name: 'T',
      procedure_id: script,
      frequency: 'every',
      every_minutes: 60,
      target: { kind: 'all' },
    })
    await add('automations', { name: 'A', trigger: 'manual' })
    await add('monitors', { name: 'Repairs', type: 'Service', service_name: 'x', procedure_id: script })
    await add('monitors', { name: 'Watches', type: 'Service', service_name: 'x' })
    await add('policies', { name: 'P', kind: 'patch' })
    await add('automations', { name: 'Other', trigger: 'manual' }, successor)
    const held = async (by: Person) => (await by.client.rpc('work_held_by', { ids: [holder.id] })).data
    expect(await held(successor)).toEqual({ scheduled_tasks: 1, automations: 1, monitors: 1, policies: 1 })
    const stranger = await person('Admin', await createCompany(backend))
    expect(await held(stranger)).toEqual({ scheduled_tasks: 0, automations: 0, monitors: 0, policies: 0 })
    const anonymous = await backend.client()
    expect((await anonymous.rpc('work_held_by', { ids: [holder.id] })).error?.code).toBe('42501')
  })

  it('is taken over by those who may edit it and run scripts, in their own company', async () => {
    const id = await add('scheduled_tasks', {
      name: 'T',
      procedure_id: script,
      frequency: 'every',
      every_minutes: 60,
      target: { kind: 'all' },
    })
    const stranger = await person('Admin', await createCompany(backend))
    expect(await takeOver('scheduled_tasks', id, stranger)).toMatchObject({ code: 'PT404' })
    expect(await takeOver('scheduled_tasks', id, standard)).toMatchObject({ code: '42501' })
    expect(await takeOver('policies', id, teknik)).toMatchObject({ code: '42501' })
    expect(await takeOver('user_roles', holder.id)).toMatchObject({ code: '22023' })
    const anonymous = await backend.client()
    expect(
      (await anonymous.rpc('take_over', { resource: 'scheduled_tasks', ids: [id] })).error,
    ).not.toBeNull()
    const written = await successor.client
      .from('scheduled_tasks')
      .update({ set_by: successor.id })
      .eq('id', id)
    expect(written.error?.code).toBe('42501')
    expect(await read('scheduled_tasks', id)).toMatchObject({ set_by: holder.id })
  })

  describe('an automation', () => {
    const automation = async () => {
      const id = await add('automations', { name: 'A', trigger: 'new_device' })
      await add('automation_steps', { automation_id: id, procedure_id: script, position: 1 })
      return id
    }
    const runs = (id: string) =>
      backend.sql(
        'select status, error from public.automation_runs where automation_id = $1 order by started_at',
        [id],
      )

    it('pauses at its next event, and goes on with somebody else', async () => {
      const id = await automation()
      await fleet.enroll()
      expect(await runs(id)).toMatchObject([{ status: 'running' }])
      await lower()
      await fleet.enroll()
      await fleet.enroll()
      expect(await runs(id)).toMatchObject([{ status: 'running' }, { status: 'failed', error: 'person' }])
      expect(await read('automations', id)).toEqual({ set_by: holder.id, paused_for: 'Ada', enabled: false })
      const link = `/automation/${id}`
      expect(await missing(successor, link)).toHaveLength(1)
      expect(await takeOver('automations', id)).toBeNull()
      await fleet.enroll()
      expect((await runs(id)).at(-1)).toMatchObject({ status: 'running' })
    })

    it('is of whoever changed its steps last', async () => {
      const id = await automation()
      await add('automation_steps', { automation_id: id, procedure_id: script, position: 2 }, successor)
      expect(await read('automations', id)).toMatchObject({ set_by: successor.id })
      await lower()
      await fleet.enroll()
      expect(await runs(id)).toMatchObject([{ status: 'running' }])
    })

    it('that a person started goes by the right of that person', async () => {
      const id = await add('automations', { name: 'A', trigger: 'manual' })
      for (const position of [1, 2])
        await add('automation_steps', { automation_id: id, procedure_id: script, position })
      await holder.client
        .from('automation_devices')
        .insert({ company_id: company, automation_id: id, device_id: device.device_id })
      expect((await holder.client.rpc('run_automation', { automation_id: id })).data).toBe(1)
      await takeOver('automations', id)
      const [run = ''] = runIds(await fleet.checkIn(device))
      await lower()
      await fleet.report(device, [result(run)])
      expect(await runs(id)).toMatchObject([{ status: 'failed', error: 'person' }])
      expect(await read('automations', id)).toMatchObject({ paused_for: null, enabled: true })
    })
  })

  it('is a monitor: its repair waits, its alert opens, and it goes on when the right is back', async () => {
    const id = await add('monitors', { name: 'M', type: 'Service', service_name: 'x', procedure_id: script })
    expect(await read('monitors', id)).toMatchObject({ set_by: holder.id })
    const open = async () => {
      await backend.sql('delete from public.alerts where monitor_id = $1', [id])
      await backend.sql(`select app.open_alert(m, $2, 'down') from public.monitors m where m.id = $1`, [
        id,
        device.device_id,
      ])
      const [row] = await backend.sql<{ alerts: number; repairs: number }>(
        `select (select count(*)::int from public.alerts where monitor_id = $1) as alerts,
           (select count(*)::int from public.jobs where company_id = $2) as repairs`,
        [id, company],
      )
      return row
    }
    await lower()
    expect(await open()).toEqual({ alerts: 1, repairs: 0 })
    expect(await read('monitors', id)).toMatchObject({ paused_for: 'Ada', enabled: true })
    expect(await missing(successor, `/monitors/${id}`)).toHaveLength(1)
    await backend.sql(`update public.user_roles set role = 'Admin' where user_id = $1`, [holder.id])
    expect(await open()).toEqual({ alerts: 1, repairs: 1 })
    expect(await read('monitors', id)).toMatchObject({ paused_for: null })
  })

  it('is a monitor of its author, whoever resolves its alerts', async () => {
    const id = await add('monitors', { name: 'M', type: 'Service', service_name: 'x' })
    await backend.sql(`select app.open_alert(m, $2, 'down') from public.monitors m where m.id = $1`, [
      id,
      device.device_id,
    ])
    await successor.client.from('alerts').update({ status: 'resolved' }).eq('monitor_id', id)
    expect(await read('monitors', id)).toMatchObject({ set_by: holder.id })
  })

  it('is a patch policy: it approves nothing, stays in force, and goes on with somebody else', async () => {
    const id = await add('policies', { name: 'P', kind: 'patch', approve_severities: ['critical'] })
    await backend.sql(
      `insert into public.patches (company_id, title, severity) values ($1, 'U1', 'critical')`,
      [company],
    )
    const approval = async () => {
      await backend.sql('select app.enforce_policies()')
      const [row] = await backend.sql<{ approval: string }>(
        'select approval from public.patches where company_id = $1',
        [company],
      )
      return row?.approval
    }
    await lower()
    expect(await approval()).not.toBe('approved')
    expect(await read('policies', id)).toEqual({ set_by: holder.id, paused_for: 'Ada', enabled: true })
    expect(await missing(successor, `/policies/${id}`)).toHaveLength(1)
    expect(await takeOver('policies', id)).toBeNull()
    expect(await approval()).toBe('approved')
  })

  it('is a run that waits for its device: it fails when the right is gone by then', async () => {
    const queue = async (by: Person) =>
      String(
        (await by.client.rpc('run_command', { type: 'Bash', command: 'id', device_ids: [device.device_id] }))
          .data,
      )
    const [theirs, mine] = [await queue(holder), await queue(successor)]
    await lower()
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
    const state = (job: string) =>
      backend.sql('select status, error from public.job_runs where job_id = $1', [job])
    expect(await state(theirs)).toEqual([{ status: 'failed', error: 'no_right' }])
    expect(await state(mine)).toEqual([{ status: 'claimed', error: null }])
  })
})
