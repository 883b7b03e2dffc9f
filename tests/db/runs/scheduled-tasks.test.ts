import { describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers } from '../../support/backend'
import { insertInto, literal, type Values } from '../support/as-user'
import {
  add,
  admin,
  as,
  asking,
  backend,
  company,
  device,
  group,
  jobsOf,
  makeDue,
  openScheduleDesk,
  procedure,
  schedule,
  task,
  tick,
} from '../support/schedule-desk'
import { TIMES } from '../support/schedule-times'

describe.each(drivers('locks'))('scheduled tasks on %s', (driver) => {
  openScheduleDesk(driver)

  it.each(TIMES)('%s', async (_name, values, after, expected) => {
    const found: string[] = []
    let moment = after
    for (const _ of expected) {
      const [row] = await backend.sql<{ next: Date | string }>(
        `select app.next_run(jsonb_populate_record(null::public.scheduled_tasks, $1), $2) as next`,
        [JSON.stringify({ starts_at: '2000-01-01T00:00:00Z', ...values }), moment],
      )
      moment = new Date(row?.next ?? '').toISOString()
      found.push(moment.replace('.000Z', 'Z'))
    }
    expect(found).toEqual(expected)
  })

  it('make one job for all devices, the group’s or the one', async () => {
    const targets: [Values, number][] = [
      [{ target_kind: 'all' }, 2],
      [{ target_kind: 'group', group_id: group }, 1],
      [{ target_kind: 'device', device_id: device }, 1],
    ]
    for (const [target, count] of targets) {
      const id = await schedule({ ...target, created_by: admin })
      await makeDue(id, '1 minute')
      await tick()
      expect(await jobsOf(id)).toEqual([{ total: count, runs: count, created_by: admin }])
      expect(await task(id)).toEqual({ ahead: true, ran: true, last_error: null })
    }
  })

  it('make one job however many tick at once', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, index) => schedule({ name: `Task ${index}` })),
    )
    for (const id of ids) await makeDue(id, '1 minute')
    await Promise.all(Array.from({ length: 8 }, tick))
    await tick()
    for (const id of ids) expect(await jobsOf(id)).toHaveLength(1)
    expect(await backend.sql(`select error from app.tick_log where step = 'schedules'`)).toEqual([])
  })

  it('leave a missed run out, or make up for all of them with one', async () => {
    const skipped = await schedule({ missed_run: 'skip' })
    const caught = await schedule({ missed_run: 'run_once' })
    await makeDue(skipped, '5 hours')
    await makeDue(caught, '5 hours')
    await tick()
    await tick()
    expect(await jobsOf(skipped)).toHaveLength(0)
    expect(await jobsOf(caught)).toHaveLength(1)
    expect((await task(skipped)).ahead).toBe(true)
  })

  it('run once, also when saved a moment after their time, and never again', async () => {
    const id = await schedule({ frequency: 'once', starts_at: new Date(Date.now() - 30_000).toISOString() })
    await tick()
    expect(await jobsOf(id)).toHaveLength(1)
    expect((await task(id)).ahead).toBeNull()
    await backend.sql(`update public.scheduled_tasks set enabled = false where id = $1`, [id])
    await backend.sql(`update public.scheduled_tasks set enabled = true where id = $1`, [id])
    await tick()
    expect(await jobsOf(id)).toHaveLength(1)
  })

  it('run nothing while paused or while the company may only read', async () => {
    const id = await schedule()
    await makeDue(id, '1 minute')
    await backend.sql(`update public.companies set status = 'Suspended' where id = $1`, [company])
    await tick()
    await backend.sql(`update public.companies set status = 'Active' where id = $1`, [company])
    expect(await jobsOf(id)).toHaveLength(0)
    await backend.sql('update public.scheduled_tasks set enabled = false where id = $1', [id])
    await tick()
    expect(await jobsOf(id)).toHaveLength(0)
  })

  it('say why there is no job, and go on', async () => {
    const empty = await add('groups', { name: 'Empty' })
    const id = await schedule({ target_kind: 'group', group_id: empty })
    await makeDue(id, '1 minute')
    await tick()
    expect(await task(id)).toEqual({ ahead: true, ran: false, last_error: 'no_devices' })
    const changed = await schedule()
    await backend.sql('update public.procedures set parameters = $2::text::jsonb where id = $1', [
      procedure,
      JSON.stringify([{ name: 'x', kind: 'text', label: 'X', required: true }]),
    ])
    await makeDue(changed, '1 minute')
    await tick()
    await backend.sql(`update public.procedures set parameters = '[]' where id = $1`, [procedure])
    expect(await task(changed)).toEqual({ ahead: true, ran: false, last_error: 'parameters' })
  })

  it('are refused outside of the times that a calendar can be computed for', async () => {
    const values = { company_id: company, name: 'Far', procedure_id: procedure, target_kind: 'all' }
    const from = (starts_at: string) =>
      as(
        admin,
        insertInto('scheduled_tasks', { ...values, frequency: 'daily', time_of_day: '09:00', starts_at }),
      )
    for (const outside of ['infinity', '-infinity', '1999-12-31', '2100-01-02'])
      expect(await from(outside)).toMatchObject({
        code: '23514',
        constraint: 'scheduled_tasks_starts_at_check',
      })
    expect((await from('2099-12-31')).rows).toBe(1)
  })

  it('are paused with the reason where the next time cannot be computed, and the others run', async () => {
    const [broken, sound] = [await schedule(), await schedule()]
    await makeDue(sound, '1 minute')
    // Such a row can only be older than the limit.
    const [limit] = await backend.sql<{ text: string }>(
      `select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'scheduled_tasks_starts_at_check'`,
    )
    const table = 'alter table public.scheduled_tasks'
    await backend.sql(`${table} drop constraint scheduled_tasks_starts_at_check`)
    await backend.sql(`${table} disable trigger user`)
    await backend.sql(
      `update public.scheduled_tasks set frequency = 'daily', every_minutes = null, time_of_day = '09:00', timezone = 'Etc/GMT-14',
         starts_at = '294276-12-31 23:00+00', next_run_at = now() - interval '2 minutes' where id = $1`,
      [broken],
    )
    await backend.sql(`${table} enable trigger user`)
    await tick()
    await backend.sql('delete from public.scheduled_tasks where id = $1', [broken])
    await backend.sql(`${table} add constraint scheduled_tasks_starts_at_check ${limit?.text}`)
    expect(await jobsOf(sound)).toHaveLength(1)
    expect(await backend.sql(`select step, error from app.tick_log where step = 'schedules'`)).toEqual([
      { step: 'schedules', error: expect.stringContaining(broken) },
    ])
  })

  it('are refused for a script that asks for values', async () => {
    const values = { company_id: company, name: 'Asking', procedure_id: asking, target_kind: 'all' }
    const clock = { frequency: 'daily', time_of_day: '09:00' }
    const answer = await as(admin, insertInto('scheduled_tasks', { ...values, ...clock }))
    expect(answer).toMatchObject({
      code: '23514',
      hint: 'parameter_required',
      constraint: 'scheduled_tasks_procedure_id_check',
    })
  })

  it('tell nothing of another company’s scripts', async () => {
    const other = await createCompany(backend)
    const stranger = (await createAccount(backend, 'Admin', other)).id
    const clock = { target_kind: 'all', frequency: 'daily', time_of_day: '09:00' }
    const into = (id: string) =>
      as(
        stranger,
        insertInto('scheduled_tasks', { company_id: company, name: 'Probe', procedure_id: id, ...clock }),
      )
    expect(await into(asking)).toEqual(await into(procedure))
    expect((await into(asking)).code).toBe('42501')
  })

  it('forget what another kind of target or a changed rule left behind', async () => {
    const id = await schedule({ target_kind: 'device', device_id: device })
    const answer = await as(
      admin,
      `update public.scheduled_tasks set target_kind = 'group', group_id = ${literal(group)} where id = ${literal(id)}`,
      `select device_id, group_id from public.scheduled_tasks where id = ${literal(id)}`,
    )
    expect(answer).toMatchObject({ rows: 1, probe: [{ device_id: null, group_id: group }] })
    const weekly = await as(
      admin,
      `update public.scheduled_tasks set frequency = 'weekly', time_of_day = '09:00' where id = ${literal(id)}`,
    )
    expect(weekly.code).toBe('23514')
  })

  it('names its next times to those who see it, and none while it is paused', async () => {
    const id = await schedule({
      frequency: 'daily',
      every_minutes: null,
      time_of_day: '09:00',
      timezone: 'UTC',
    })
    const ask = async (who: string) =>
      (await as(who, `select public.next_runs('scheduled_tasks', '${id}') as runs`)).data?.[0]?.runs
    const runs = ((await ask(admin)) as { at: string }[]).map(({ at }) => at)
    expect(runs).toHaveLength(5)
    expect(runs.every((at) => at.includes('T09:00:00'))).toBe(true)
    expect([...runs].sort()).toEqual(runs)
    await backend.sql('update public.scheduled_tasks set enabled = false where id = $1', [id])
    expect(await ask(admin)).toEqual([])
  })

  it('are paused and resumed by those who may edit them, in their company', async () => {
    const id = await schedule()
    const pause = (who: string, paused: boolean) =>
      as(
        who,
        `select public.pause_schedules(array['${id}']::uuid[], ${paused}) as n`,
        `select enabled from public.scheduled_tasks where id = '${id}'`,
      )
    const foreign = (await createAccount(backend, 'Admin', await createCompany(backend))).id
    expect(await pause(foreign, true)).toMatchObject({ code: 'PT404' })
    expect(await pause((await createAccount(backend, 'Standard', company)).id, true)).toMatchObject({
      code: '42501',
    })
    expect(await pause(admin, true)).toMatchObject({ data: [{ n: 1 }], probe: [{ enabled: false }] })
    // Active already: unchanged.
    expect(await pause(admin, false)).toMatchObject({ data: [{ n: 0 }], probe: [{ enabled: true }] })
    await backend.sql('update public.scheduled_tasks set enabled = false where id = $1', [id])
    expect(await pause(admin, false)).toMatchObject({ data: [{ n: 1 }], probe: [{ enabled: true }] })
  })

  it('start on each device at the time of its own clock, by one job', async () => {
    const zones = { 'Pacific/Auckland': '', 'Europe/Istanbul': '', 'America/New_York': '' }
    for (const zone of Object.keys(zones) as (keyof typeof zones)[])
      zones[zone] = await add('devices', { name: zone, timezone: zone })
    const silent = await add('devices', { name: 'Says nothing' })
    const id = await schedule({
      frequency: 'daily',
      every_minutes: null,
      time_of_day: '09:00',
      timezone: 'Asia/Tokyo',
      device_time: true,
      starts_at: '2026-01-01T00:00:00Z',
    })
    // Europe has changed its clocks on this day, America a week later.
    const due = '2026-10-24T19:00:00Z'
    // As if it had been set, and the tick had come, before that day.
    await backend.sql(
      `update public.scheduled_tasks set missed_run = 'run_once', set_at = '2026-10-01' where id = $1`,
      [id],
    )
    const [next] = await backend.sql<{ at: string | Date }>(
      'select app.next_run(t, $2::timestamptz) as at from public.scheduled_tasks t where id = $1',
      [id, '2026-10-24T12:00:00Z'],
    )
    expect(new Date(next?.at ?? '')).toEqual(new Date(due))
    await backend.sql(
      'select app.queue_scheduled(t, $2::timestamptz, now()) from public.scheduled_tasks t where id = $1',
      [id, due],
    )
    const runs = await backend.sql<{ device_id: string; at: string }>(
      `select r.device_id, to_char(r.start_after at time zone 'UTC', 'MM-DD HH24:MI') as at
       from public.job_runs r join public.jobs j on j.id = r.job_id where j.schedule_id = $1`,
      [id],
    )
    const at = Object.fromEntries(runs.map((run) => [run.device_id, run.at]))
    expect([...Object.values(zones), silent].map((device) => at[device])).toEqual([
      '10-24 20:00',
      '10-25 06:00',
      '10-25 13:00',
      '10-25 00:00',
    ])
    expect(await jobsOf(id)).toHaveLength(1)
    // A schedule that repeats by the minute has no time of day.
    await backend.sql(
      `update public.scheduled_tasks set frequency = 'every', every_minutes = 60 where id = $1`,
      [id],
    )
    expect(await backend.sql('select device_time from public.scheduled_tasks where id = $1', [id])).toEqual([
      { device_time: false },
    ])
  })

  it('run today on the devices that have the time still ahead, and tomorrow on the others', async () => {
    // Ten minutes from now by the clock of UTC: in Istanbul it passed three hours ago, in New York it is hours ahead.
    const time = new Date(Date.now() + 600_000).toISOString()
    const ids: Record<string, string> = {}
    for (const zone of ['UTC', 'America/New_York', 'Europe/Istanbul'])
      ids[zone] = await add('devices', { name: `Clock ${zone}`, timezone: zone })
    const all = await add('groups', { name: 'Clocks' })
    for (const id of Object.values(ids))
      await backend.sql(insertInto('group_devices', { company_id: company, group_id: all, device_id: id }))
    const values = {
      frequency: 'daily',
      time_of_day: time.slice(11, 16),
      timezone: 'UTC',
      device_time: true,
      target_kind: 'group',
      group_id: all,
    }
    const read = async (call: string) =>
      (await as(admin, `select ${call} as answer`)).data?.[0]?.answer as Record<string, unknown>[]
    const draft = { ...values, company_id: company }
    const [first, second] = await read(`public.preview_schedule(${literal(JSON.stringify(draft))}::jsonb)`)
    expect(first).toMatchObject({ ahead: 2, devices: 3 })
    expect(String(first?.local)).toContain(`T${time.slice(11, 16)}`)
    expect(Date.parse(String(first?.first))).toBe(Math.floor(Date.parse(time) / 60_000) * 60_000)
    expect(second).toMatchObject({ ahead: 3, devices: 3 })

    const id = await schedule({ ...values, every_minutes: null, starts_at: new Date().toISOString() })
    expect((await read(`public.next_runs('scheduled_tasks', '${id}')`))[0]).toMatchObject({ ahead: 2 })
    const upcoming = async (device: string | undefined) => {
      const { data } = await as(admin, `select id, next_run_at from public.device_upcoming('${device}')`)
      const at = data?.find((row) => row.id === id)?.next_run_at
      return Math.round((new Date(at as string).getTime() - Date.now()) / 3_600_000)
    }
    expect(await upcoming(ids.UTC)).toBe(0)
    expect(await upcoming(ids['Europe/Istanbul'])).toBe(21)
    await tick()
    const runs = await backend.sql<{ device_id: string }>(
      `select r.device_id from public.job_runs r join public.jobs j on j.id = r.job_id
       where j.schedule_id = $1 and r.start_after > now()`,
      [id],
    )
    expect(runs.map((run) => run.device_id).sort()).toEqual(
      [ids.UTC, ids['America/New_York']].map(String).sort(),
    )
    expect(await task(id)).toMatchObject({ last_error: null, ran: true })
    // Today's run waits already.
    expect(await upcoming(ids.UTC)).toBe(24)
    await tick()
    expect(await jobsOf(id)).toHaveLength(1)
    await backend.sql(`delete from public.devices where name like 'Clock %'`)
  })
})
