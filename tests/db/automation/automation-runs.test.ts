import type { SupabaseClient } from '@supabase/supabase-js'
import { describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers } from '../../support/backend'
import { result, runIds } from '../support/agent-functions-fleet'
import {
  add,
  addGroup,
  admin,
  automationOf,
  backend,
  company,
  device,
  failed,
  finish,
  fleet,
  join,
  linkGroup,
  openDesk,
  other,
  runsOf,
  standard,
  start,
  stranger,
  target,
} from '../support/automation-desk'

interface Matches {
  matches: number
  left_out: Record<string, number>
}

describe.each(drivers())('runs of automations on %s', (driver) => {
  openDesk(driver)

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
    const matches = async (client = admin) =>
      (await client.rpc('automation_matches', { automation_id: id })).data as Matches
    const names = async (reason: string, client = admin, q = '') =>
      (
        await client
          .rpc('search_automation_devices', { automation_id: id, reason, q })
          .select('id,name')
          .order('name_key')
      ).data
    expect(await matches()).toEqual({ matches: 1, left_out: { offline: 1, platform: 1 } })
    expect(await names('')).toMatchObject([{ id: device.device_id }])
    expect(await names('', admin, 'windows')).toEqual([])
    expect(await names('offline')).toEqual([{ id: away, name: 'A away' }])
    expect(await names('platform')).toEqual([{ id: windows, name: 'B windows' }])
    for (const client of [stranger, standard])
      expect(await matches(client)).toEqual({ matches: 0, left_out: {} })
    for (const reason of ['', 'offline']) {
      expect(await names(reason, stranger)).toEqual([])
      const asked = { automation_id: id, reason, q: '' }
      expect((await standard.rpc('search_automation_devices', asked)).error?.code).toBe('42501')
    }
    expect((await start(id)).data).toBe(1)
    expect(await names('running')).toMatchObject([{ id: device.device_id }])
    await finish()
    expect(await runsOf(id)).toMatchObject([{ device_id: device.device_id, status: 'succeeded' }])
  })

  it('have steps that are written with their automation, by those who may run it', async () => {
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
