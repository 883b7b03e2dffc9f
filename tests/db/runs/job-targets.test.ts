import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type Device, fleetOf, result, runIds } from '../support/agent-functions-fleet'

/** More than a thousand, which once was the limit; the whole figure with THOROUGH=1. */
const MANY = process.env.THOROUGH ? 10_000 : 1_100

describe.each(drivers('locks'))('targets, caps and delays of jobs on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: SupabaseClient
  let fleet: ReturnType<typeof fleetOf>
  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(async () => {
    // Counted anew, for the files that share the backend.
    await backend?.sql(`update app.fleet set counted_at = '-infinity'`)
    await backend?.stop()
  })
  beforeEach(async () => {
    company = await createCompany(backend)
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
    fleet = fleetOf(backend, company)
  })

  const addDevices = (count: number, platform: string | null = 'linux', owner = company) =>
    backend.sql<{ id: string }>(
      `insert into public.devices (company_id, name, platform) select $1, coalesce($3, 'any') || '-' || n, $3
       from generate_series(1, $2) n returning id`,
      [owner, count, platform],
    )
  const command = (target: unknown, more: Record<string, unknown> = {}, client = admin) =>
    client.rpc('run_on_target', {
      target,
      call: 'run_command',
      args: { type: 'Python', command: 'id', ...more },
    })
  const devicesOf = async (job: unknown): Promise<string[]> =>
    (
      await backend.sql<{ name: string }>(
        `select d.name from public.job_runs r join public.devices d on d.id = r.device_id where r.job_id = $1 order by d.name`,
        [job],
      )
    ).map(({ name }) => name)

  it('gives the last place on a device once, to people who ask at the same moment', async () => {
    const { device_id } = await fleet.enroll()
    const others = await Promise.all(
      Array.from({ length: 8 }, async () =>
        backend.client((await createAccount(backend, 'Admin', company)).email),
      ),
    )
    await backend.sql(
      `with j as (insert into public.jobs (company_id, kind, name, script_type, script, script_sha256, timeout_seconds, expires_at, total)
         select $1, 'command', 'J', 'Python', 'x', repeat('0', 64), 60, now() + interval '1 day', 1 from generate_series(1, 199) returning id)
       insert into public.job_runs (company_id, job_id, device_id) select $1, j.id, $2 from j`,
      [company, device_id],
    )
    const calls = await Promise.all(
      others.map((client) =>
        client.rpc('run_command', { type: 'Python', command: 'id', device_ids: [device_id] }),
      ),
    )
    expect(calls.filter(({ error }) => error === null)).toHaveLength(1)
    expect(new Set(calls.map(({ error }) => error?.hint))).toEqual(new Set([undefined, 'runs_too_many']))
  })

  it('finds the devices of a filter when it runs, not when it was asked', async () => {
    await addDevices(2)
    await addDevices(1, 'windows')
    const target = { kind: 'filter', company_id: company, filter: { platform: { _eq: 'linux' } } }
    const { data: before } = await admin.rpc('preview_target', { target })
    expect(before).toEqual({
      companies: [company],
      platforms: [{ platform: 'linux', devices: 2, offline: 2, names: ['linux-1', 'linux-2'] }],
    })
    await backend.sql(
      `update public.devices set name = 'late', platform = 'linux' where platform = 'windows' and company_id = $1`,
      [company],
    )
    const { data, error } = await command(target)
    expect(error).toBeNull()
    expect(await devicesOf(data)).toEqual(['late', 'linux-1', 'linux-2'])
  })

  it('finds the members of groups, once each, of the platforms that fit, and those of a search', async () => {
    const [first, second] = await addDevices(2)
    const [third] = await addDevices(1, 'windows')
    await addDevices(1, null)
    const groups: string[] = []
    for (const members of [
      [first, second],
      [second, third],
    ]) {
      const [group] = await backend.sql<{ id: string }>(
        `insert into public.groups (company_id, name) values ($1, 'G' || random()) returning id`,
        [company],
      )
      groups.push(String(group?.id))
      for (const member of members)
        await backend.sql(
          'insert into public.group_devices (company_id, group_id, device_id) values ($1, $2, $3)',
          [company, group?.id, member?.id],
        )
    }
    const both = await command({ kind: 'groups', group_ids: groups })
    expect(await devicesOf(both.data)).toEqual(['linux-1', 'linux-2', 'windows-1'])
    const fitting = await command({ kind: 'groups', group_ids: groups, platforms: ['linux'] })
    expect(await devicesOf(fitting.data)).toEqual(['linux-1', 'linux-2'])
    const all = await command({ kind: 'all', company_id: company, platforms: ['windows'] })
    expect(await devicesOf(all.data)).toEqual(['any-1', 'windows-1'])
    const searched = await command({ kind: 'filter', company_id: company, filter: {}, q: 'linux-2' })
    expect(await devicesOf(searched.data)).toEqual(['linux-2'])
  })

  it.each([
    ['no target', null],
    ['an unknown kind', { kind: 'everything' }],
    ['groups that are none', { kind: 'groups', group_ids: 'x' }],
  ])('refuses %s', async (_what, target) => {
    expect((await command(target)).error?.hint).toBe('target_invalid')
  })

  it('asks for nothing with long texts, and takes no more time than a list', async () => {
    await addDevices(1)
    for (const field of ['job_runs.output', 'tickets.description', 'job_runs.device_id.output'])
      expect(
        (await command({ kind: 'filter', filter: { _or: [{ [field]: { _contains: 'x' } }] } })).error?.hint,
        field,
      ).toBe('target_of_tables')
    const lists = [
      { 'device_presence.online': { _eq: true } },
      { 'group_devices.device_id.group_id': { _null: true } },
    ]
    for (const filter of lists)
      expect((await admin.rpc('preview_target', { target: { kind: 'filter', filter } })).error).toBeNull()
    const [own] = await backend.sql(
      `select 1 from pg_proc where proname = 'preview_target' and proconfig::text ~ 'statement_timeout'`,
    )
    expect(own).toBeUndefined()
  })

  it('refuses an unknown call, an unknown field, and a target without devices', async () => {
    const all = { kind: 'all', company_id: company }
    expect((await command(all)).error?.hint).toBe('devices_none')
    await addDevices(1)
    expect(
      (await admin.rpc('run_on_target', { target: all, call: 'cancel_job', args: {} })).error?.hint,
    ).toBe('task_unknown')
    const odd = await command({ kind: 'filter', filter: { secret: { _eq: 'x' } } })
    expect(odd.error?.code).toBe('22023')
  })

  it('is for whom the function allows, over the devices they see', async () => {
    await addDevices(1)
    const other = await createCompany(backend)
    await addDevices(1, 'linux', other)
    const as = async (role: string, of = company) =>
      backend.client((await createAccount(backend, role, of)).email)
    const theirs = { kind: 'all', company_id: company }
    expect((await command(theirs, {}, await as('Admin', other))).error?.hint).toBe('devices_none')
    expect((await command(theirs, {}, await as('Standard'))).error?.code).toBe('42501')
    expect((await command(theirs, {}, await backend.client())).error?.code).toBe('42501')
    expect((await (await as('Standard')).rpc('preview_target', { target: theirs })).error?.code).toBe('42501')
    const { data } = await (await as('Admin', other)).rpc('preview_target', { target: theirs })
    expect(data).toEqual({ companies: [], platforms: [] })
    expect((await command({ kind: 'all' }, {}, await as('Teknik'))).error).toBeNull()
    await backend.sql('update public.companies set license_end_date = current_date - 1 where id = $1', [
      company,
    ])
    expect((await command(theirs)).error?.code).toBe('42501')
  })

  it(`queues ${MANY} devices by one statement over job_runs`, async () => {
    await addDevices(MANY)
    await backend.sql('create table public.counted (op text, rows integer)')
    await backend.sql(`create function public.count_statement() returns trigger language plpgsql security definer as $$
      begin insert into public.counted select tg_op, count(*) from new_rows; return null; end $$`)
    await backend.sql(`create trigger counted after insert on public.job_runs referencing new table as new_rows
      for each statement execute function public.count_statement()`)
    try {
      const started = Date.now()
      const { data, error } = await command({ kind: 'all', company_id: company }, { max_running: 50 })
      console.log(`${MANY} devices queued on ${driver} in ${Date.now() - started} ms`)
      expect(error).toBeNull()
      expect(await backend.sql('select op, rows from public.counted')).toEqual([{ op: 'INSERT', rows: MANY }])
      expect(await backend.sql('select total, max_running from public.jobs where id = $1', [data])).toEqual([
        { total: MANY, max_running: 50 },
      ])
    } finally {
      await backend.sql('drop trigger counted on public.job_runs')
      await backend.sql('drop function public.count_statement()')
      await backend.sql('drop table public.counted')
    }
  })

  const enrolled = (count: number) => Promise.all(Array.from({ length: count }, () => fleet.enroll()))
  const capped = async (max_running: number | null) => {
    const { data, error } = await command({ kind: 'all', company_id: company }, { max_running })
    expect(error).toBeNull()
    return String(data)
  }
  const atOnce = async (devices: readonly Device[]) =>
    (await Promise.all(devices.map((device) => fleet.checkIn(device)))).flatMap((answer) => runIds(answer))

  it('runs on so many devices at once, and goes on when one ends', async () => {
    const devices = await enrolled(4)
    await capped(2)
    const claimed = new Map<Device, string>()
    for (const device of devices)
      for (const run of runIds(await fleet.checkIn(device))) claimed.set(device, run)
    expect(claimed.size).toBe(2)
    const [[done, run]] = [...claimed] as [[Device, string]]
    await backend.sql('update app.fleet set devices = 9000, counted_at = now()')
    const waiting = devices.filter((device) => !claimed.has(device)) as [Device, Device]
    // As often as any device of such a fleet, and not every five seconds for hours.
    expect((await fleet.checkIn(waiting[0])).body.interval).toBe(30)
    await fleet.report(done, [result(run)])
    expect(runIds(await fleet.checkIn(waiting[1]))).toHaveLength(1)
    expect(runIds(await fleet.checkIn(waiting[0]))).toEqual([])
    // A device that is gone for good does not hold its place.
    await backend.sql(
      `update public.job_runs set lease_until = now() - interval '11 minutes' where company_id = $1 and status = 'claimed'`,
      [company],
    )
    expect(runIds(await fleet.checkIn(waiting[0]))).toHaveLength(1)
  })

  it('never gives one place to two devices that ask at the same moment', async () => {
    const devices = await enrolled(8)
    await capped(3)
    const first = await atOnce(devices)
    expect(first.length).toBeLessThanOrEqual(3)
    const second = await atOnce(devices)
    const third: string[] = []
    for (const device of devices) third.push(...runIds(await fleet.checkIn(device)))
    expect([...first, ...second, ...third]).toHaveLength(3)
    expect(
      await backend.sql(
        `select count(*)::int as n from public.job_runs where company_id = $1 and status = 'claimed'`,
        [company],
      ),
    ).toEqual([{ n: 3 }])
  })

  it('keeps no cap that no run could meet, and refuses zero', async () => {
    await enrolled(2)
    const job = await capped(2)
    expect(await backend.sql('select max_running from public.jobs where id = $1', [job])).toEqual([
      { max_running: null },
    ])
    expect(
      await backend.sql('select distinct is_capped from public.job_runs where job_id = $1', [job]),
    ).toEqual([{ is_capped: false }])
    expect((await command({ kind: 'all', company_id: company }, { max_running: 0 })).error?.hint).toBe(
      'max_running_invalid',
    )
  })

  it('spreads a schedule over its random delay, the same way however often it is asked', async () => {
    const devices = await enrolled(6)
    const [script] = await backend.sql<{ id: string }>(
      `insert into public.procedures (company_id, name, type, script) values ($1, 'S', 'Bash', 'id') returning id`,
      [company],
    )
    const { error } = await admin.from('scheduled_tasks').insert({
      company_id: company,
      name: 'T',
      procedure_id: script?.id,
      target_kind: 'all',
      frequency: 'once',
      starts_at: new Date(Date.now() - 1000).toISOString(),
      timezone: 'UTC',
      random_delay_minutes: 60,
      max_running: 2,
    })
    expect(error).toBeNull()
    await backend.sql('select app.run_schedules()')
    const runs = await backend.sql<{ minutes: number; same: boolean }>(
      `select extract(epoch from r.start_after - j.created_at)::int / 60 as minutes,
         r.start_after = app.spread_start(j.schedule_id, r.device_id, j.due_at, 60)
           + (greatest(j.due_at, j.created_at) - greatest(j.due_at, now())) as same
       from public.job_runs r join public.jobs j on j.id = r.job_id where r.company_id = $1`,
      [company],
    )
    expect(runs).toHaveLength(6)
    expect(runs.every(({ minutes, same }) => same && minutes >= 0 && minutes <= 60)).toBe(true)
    expect(new Set(runs.map(({ minutes }) => minutes)).size).toBeGreaterThan(1)
    expect(await backend.sql('select max_running from public.jobs where company_id = $1', [company])).toEqual(
      [{ max_running: 2 }],
    )
    await backend.sql(
      `update public.job_runs set start_after = now() + interval '1 hour' where company_id = $1`,
      [company],
    )
    expect(await atOnce(devices)).toEqual([])
    await backend.sql(
      `update public.job_runs set start_after = now() - interval '1 second' where company_id = $1`,
      [company],
    )
    for (const device of devices) await fleet.checkIn(device)
    expect(
      await backend.sql(
        `select count(*)::int as n from public.job_runs where company_id = $1 and status = 'claimed'`,
        [company],
      ),
    ).toEqual([{ n: 2 }])
  })
})
