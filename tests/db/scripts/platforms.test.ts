import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { type Device, fleetOf } from '../support/agent-functions-fleet'

describe.each(drivers())('the systems of scripts, commands and monitors, on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let fleet: ReturnType<typeof fleetOf>
  let admin: SupabaseClient
  let linux: Device
  let windows: Device
  let mac: Device
  beforeAll(async () => {
    backend = await testBackend({ driver })
  })
  afterAll(() => backend?.stop())

  const rows = <R = Record<string, unknown>>(query: string, ...params: unknown[]) =>
    backend.sql<R & Record<string, unknown>>(query, params)
  const add = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const row: Record<string, unknown> = { company_id: company, name: `N ${randomUUID()}`, ...values }
    const names = Object.keys(row)
    const [made] = await rows<{ id: string }>(
      `insert into public.${table} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')}) returning id`,
      ...Object.values(row),
    )
    return made?.id ?? ''
  }
  const platformsOf = async (table: string, id: string) =>
    (await rows<{ platforms: string[] }>(`select platforms from public.${table} where id = $1`, id))[0]
      ?.platforms
  const script = (type: string, more: Record<string, unknown> = {}) =>
    add('procedures', { type, script: 'true', ...more })
  const all = () => [linux, windows, mac].map(({ device_id }) => device_id)
  const run = async (procedure_id: string, device_ids = all()) =>
    admin.rpc('run_procedure', { procedure_id, device_ids })
  const job = async (id: unknown) =>
    (
      await rows<{ total: number; left_out: number; platforms: string[]; devices: string[] }>(
        `select j.total, j.left_out, j.platforms, array(select r.device_id from public.job_runs r where r.job_id = j.id order by r.device_id) as devices
         from public.jobs j where j.id = $1`,
        id,
      )
    )[0]

  beforeEach(async () => {
    company = await createCompany(backend)
    fleet = fleetOf(backend, company)
    const enroll = async (platform: string): Promise<Device> => {
      const device = await fleet.enroll()
      await backend.sql('update public.devices set platform = $2 where id = $1', [device.device_id, platform])
      return device
    }
    linux = await enroll('linux')
    windows = await enroll('windows')
    mac = await enroll('macos')
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
  })

  it('come from the type, follow it, and are kept once somebody narrowed them', async () => {
    const types = {
      PowerShell: ['windows'],
      Batch: ['windows'],
      Bash: ['linux', 'macos'],
      Python: ['linux', 'macos', 'windows'],
    }
    for (const [type, platforms] of Object.entries(types))
      expect(await platformsOf('procedures', await script(type))).toEqual(platforms)
    expect(
      await platformsOf('saved_commands', await add('saved_commands', { type: 'CMD', command: 'ver' })),
    ).toEqual(['windows'])
    const id = await script('Python')
    const change = (values: Record<string, unknown>) =>
      admin.from('procedures').update(values).eq('id', id).select('platforms').single()
    expect((await change({ type: 'Bash' })).data?.platforms).toEqual(['linux', 'macos'])
    expect((await change({ platforms: ['linux'] })).data?.platforms).toEqual(['linux'])
    expect((await change({ type: 'Python' })).data?.platforms).toEqual(['linux'])
    expect((await change({ platforms: [] })).data?.platforms).toEqual(['linux', 'macos', 'windows'])
  })

  it('are widened for PowerShell alone', async () => {
    expect(
      (
        await admin
          .from('procedures')
          .insert({
            company_id: company,
            name: 'P',
            type: 'PowerShell',
            script: '1',
            platforms: ['linux', 'windows'],
          })
          .select('platforms')
          .single()
      ).data?.platforms,
    ).toEqual(['linux', 'windows'])
    for (const [type, platform, hint] of [
      ['Batch', 'linux', 'platform_of_type'],
      ['Bash', 'windows', 'platform_of_type'],
      ['Python', 'solaris', 'platform_of_type'],
      ['PowerShell', 'solaris', null],
    ]) {
      const { error } = await admin.from('procedures').insert({
        company_id: company,
        name: `${type} ${platform}`,
        type,
        script: '1',
        platforms: [platform],
      })
      expect([error?.code, error?.hint ?? null]).toEqual(['23514', hint])
    }
  })

  it('leave devices out of a run, and the job says how many', async () => {
    const { data } = await run(await script('Bash'))
    expect(await job(data)).toEqual({
      total: 2,
      left_out: 1,
      platforms: ['linux', 'macos'],
      devices: [linux.device_id, mac.device_id].toSorted(),
    })
    const everywhere = await run(await script('Python'))
    expect(await job(everywhere.data)).toMatchObject({ total: 3, left_out: 0 })
    expect((await run(await script('Batch'), [linux.device_id])).error).toMatchObject({
      code: '23514',
      hint: 'platform_none',
    })
    expect(await rows('select 1 from public.jobs where company_id = $1', company)).toHaveLength(2)
  })

  it('take a device whose system is not known yet', async () => {
    await backend.sql('update public.devices set platform = null where id = $1', [linux.device_id])
    const { data } = await run(await script('Batch'))
    expect(await job(data)).toMatchObject({ total: 2, left_out: 1 })
  })

  it('hold for commands by their type, and for saved ones as they were narrowed', async () => {
    const command = async (type: string, text: string) =>
      (await admin.rpc('run_command', { type, command: text, device_ids: all() })).data
    expect((await job(await command('CMD', 'ver')))?.devices).toEqual([windows.device_id])
    await add('saved_commands', { type: 'Python', command: 'print(1)', platforms: ['macos'] })
    expect((await job(await command('Python', 'print(1)')))?.devices).toEqual([mac.device_id])
    expect((await job(await command('Python', 'print(2)')))?.total).toBe(3)
  })

  it('hold for a group, a filter and a retry', async () => {
    const procedure_id = await script('Batch')
    const { data } = await admin.rpc('run_on_target', {
      target: { kind: 'all', company_id: company },
      call: 'run_procedure',
      args: { procedure_id },
    })
    expect(await job(data)).toMatchObject({ devices: [windows.device_id], left_out: 2 })
    await backend.sql(`update public.job_runs set status = 'failed', finished_at = now() where job_id = $1`, [
      data,
    ])
    const retried = await admin.rpc('retry_job', { job_id: data })
    expect(await job(retried.data)).toMatchObject({ devices: [windows.device_id], platforms: ['windows'] })
  })

  it('hold for a schedule, which says when no device is left', async () => {
    const schedule = async (procedure_id: string) => {
      const id = await add('scheduled_tasks', {
        procedure_id,
        target_kind: 'all',
        frequency: 'every',
        every_minutes: 60,
        starts_at: new Date(Date.now() - 60_000).toISOString(),
      })
      await backend.sql(`update public.scheduled_tasks set next_run_at = now() where id = $1`, [id])
      await backend.sql('select app.run_schedules()')
      const [made] = await rows<{ id: string }>('select id from public.jobs where schedule_id = $1', id)
      const [task] = await rows<{ last_error: string | null }>(
        'select last_error from public.scheduled_tasks where id = $1',
        id,
      )
      return { job: made && (await job(made.id)), error: task?.last_error }
    }
    const bash = await schedule(await script('Bash'))
    expect(bash).toMatchObject({ job: { total: 2, left_out: 1 }, error: null })
    await backend.sql('delete from public.devices where id = $1', [windows.device_id])
    const batch = await schedule(await script('Batch'))
    expect(batch).toEqual({ job: undefined, error: 'The script runs on no system of the target' })
  })

  it('hold for an automation: a step of another system is passed over, a device without any is left out', async () => {
    const bash = await script('Bash')
    const batch = await script('Batch')
    const automation = await add('automations', { trigger: 'manual' })
    await backend.sql(
      `insert into public.automation_devices (company_id, automation_id, device_id) select $1, $2, unnest($3::uuid[])`,
      [company, automation, all()],
    )
    for (const [position, procedure_id] of [bash, batch].entries())
      await backend.sql(
        `insert into public.automation_steps (company_id, automation_id, position, procedure_id) values ($1, $2, $3, $4)`,
        [company, automation, position + 1, procedure_id],
      )
    expect((await admin.rpc('run_automation', { automation_id: automation })).data).toBe(3)
    expect(
      await rows(
        `select r.device_id, r.procedure_id from public.job_runs r where r.company_id = $1 order by r.procedure_id = $2, r.device_id`,
        company,
        batch,
      ),
    ).toEqual([
      ...[linux.device_id, mac.device_id].toSorted().map((device_id) => ({ device_id, procedure_id: bash })),
      { device_id: windows.device_id, procedure_id: batch },
    ])
    const only = await add('automations', { trigger: 'manual' })
    await backend.sql(
      `insert into public.automation_devices (company_id, automation_id, device_id) select $1, $2, unnest($3::uuid[])`,
      [company, only, all()],
    )
    await backend.sql(
      `insert into public.automation_steps (company_id, automation_id, position, procedure_id) values ($1, $2, 1, $3)`,
      [company, only, batch],
    )
    const matches = await admin.rpc('automation_matches', { automation_id: only, is_manual: true })
    expect(matches.data).toEqual({ matches: 1, left_out: { script: 2 } })
  })

  it('hold whatever queues a run', async () => {
    const { data } = await run(await script('Batch'))
    await expect(
      backend.sql('insert into public.job_runs (company_id, job_id, device_id) values ($1, $2, $3)', [
        company,
        data,
        linux.device_id,
      ]),
    ).rejects.toMatchObject({ code: '23514' })
  })

  const states = async (monitor: string, device: Device) => {
    await fleet.checkIn(device, {
      monitors_hash: null,
      monitor_states: [{ monitor_id: monitor, state: 'failing', message: 'x is not running' }],
    })
    return rows(
      'select 1 from public.monitor_states where monitor_id = $1 and device_id = $2',
      monitor,
      device.device_id,
    )
  }

  it('keep a monitor off the devices of other systems', async () => {
    const exe = await add('monitors', { type: 'Process', process_name: 'LTiger.exe' })
    const event = await add('monitors', { type: 'Event ID', event_id: 41, log_name: 'System' })
    const ping = await add('monitors', { type: 'Network', probe: 'ping', target: 'srv' })
    expect([await platformsOf('monitors', exe), await platformsOf('monitors', event)]).toEqual([
      ['windows'],
      ['windows'],
    ])
    const given = async (device: Device) =>
      ((await fleet.checkIn(device, { monitors_hash: null })).body.monitors as { id: string }[]).map(
        ({ id }) => id,
      )
    expect(await given(linux)).toEqual([ping])
    expect((await given(windows)).toSorted()).toEqual([exe, event, ping].toSorted())
    expect(await states(exe, linux)).toEqual([])
    expect(await rows('select 1 from public.alerts where company_id = $1', company)).toEqual([])
    expect(await states(exe, windows)).toHaveLength(1)
    const refused = await admin
      .from('monitors')
      .update({ platforms: ['linux'] })
      .eq('id', event)
      .select('id')
    expect(refused.error?.hint).toBe('platform_of_type')
    const none = await admin.rpc('test_monitor', { monitor_id: exe, device_ids: [linux.device_id] })
    expect(none.error?.hint).toBe('platform_none')
  })

  it('end what a narrowed monitor found on devices that it no longer checks', async () => {
    const monitor = await add('monitors', { type: 'Process', process_name: 'cron', open_ticket: true })
    expect(await states(monitor, linux)).toHaveLength(1)
    expect(await states(monitor, mac)).toHaveLength(1)
    const { data } = await admin
      .from('monitors')
      .update({ platforms: ['linux'] })
      .eq('id', monitor)
      .select('id')
    expect(data).toHaveLength(1)
    expect(
      await rows(
        'select device_id, status from public.alerts where monitor_id = $1 order by status',
        monitor,
      ),
    ).toEqual([
      { device_id: linux.device_id, status: 'open' },
      { device_id: mac.device_id, status: 'resolved' },
    ])
    expect(await rows('select device_id from public.monitor_states where monitor_id = $1', monitor)).toEqual([
      { device_id: linux.device_id },
    ])
    await backend.sql('select app.reopen_alerts()')
    expect(
      await rows(`select 1 from public.alerts where monitor_id = $1 and status = 'open'`, monitor),
    ).toHaveLength(1)
  })

  it('a device with 200 open runs takes no further one, and the job says so', async () => {
    const procedure_id = await script('Python')
    const { data } = await run(procedure_id, [linux.device_id])
    await backend.sql(
      `with j as (insert into public.jobs (company_id, kind, name, script_type, script, script_sha256, timeout_seconds, expires_at, total)
         select $1, 'procedure', 'J', 'Python', 'x', repeat('0', 64), 60, now() + interval '1 day', 1 from generate_series(1, 199) returning id)
       insert into public.job_runs (company_id, job_id, device_id) select $1, j.id, $2 from j`,
      [company, linux.device_id],
    )
    expect((await job(data))?.total).toBe(1)
    expect((await run(procedure_id, [linux.device_id])).error).toMatchObject({
      code: '23514',
      hint: 'runs_too_many',
    })
    const next = await run(procedure_id)
    expect(await rows('select total, left_out, left_full from public.jobs where id = $1', next.data)).toEqual(
      [{ total: 2, left_out: 0, left_full: 1 }],
    )
  })

  it('a device takes 100 open runs of one person, and more of another one', async () => {
    const procedure_id = await script('Python')
    const full = (await fleet.enroll()).device_id
    const first = await run(procedure_id, [full])
    await backend.sql(
      `with j as (insert into public.jobs (company_id, kind, name, script_type, script, script_sha256, timeout_seconds, expires_at, total, created_by)
         select $1, 'procedure', 'J', 'Python', 'x', repeat('0', 64), 60, now() + interval '1 day', 1,
           (select created_by from public.jobs where id = $3) from generate_series(1, 98) returning id)
       insert into public.job_runs (company_id, job_id, device_id) select $1, j.id, $2 from j`,
      [company, full, first.data],
    )
    expect((await run(procedure_id, [full])).error).toBeNull()
    expect((await run(procedure_id, [full])).error?.hint).toBe('runs_too_many')
    const other = await createAccount(backend, 'Admin', company)
    const { error } = await (await backend.client(other.email)).rpc('run_procedure', {
      procedure_id,
      device_ids: [full],
    })
    expect(error).toBeNull()
  })

  it('of the demo’s monitors give a Linux machine none about Windows programs or the servers of the office', async () => {
    const [acme] = await rows<{ id: string }>(`select app.demo_id('company/acme') as id`)
    const demo = fleetOf(backend, acme?.id ?? '')
    for (let n = 0; n < 3; n += 1) {
      const device = await demo.enroll()
      const list = (
        (await demo.checkIn(device, { monitors_hash: null })).body.monitors as { id: string }[]
      ).map(({ id }) => id)
      const names = await rows<{ name: string }>(
        'select name from public.monitors where id = any ($1) order by name',
        list,
      )
      expect(names.map(({ name }) => name)).toEqual([
        'CPU yükü',
        'Memory pressure',
        'SSH service',
        'System disk almost full',
        'Unwanted miner',
      ])
    }
  })
})
