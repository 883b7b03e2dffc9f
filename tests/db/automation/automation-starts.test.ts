import { describe, expect, it } from 'vitest'
import { createAccount } from '../../support/accounts'
import { drivers } from '../../support/backend'
import { result, runIds } from '../support/agent-functions-fleet'
import {
  add,
  addGroup,
  addProcedure,
  admin,
  automationOf,
  backend,
  company,
  device,
  finish,
  fleet,
  join,
  linkGroup,
  monitorFor,
  openDesk,
  runsOf,
  setState,
  start,
  target,
} from '../support/automation-desk'

describe.each(drivers())('what starts an automation on %s', (driver) => {
  openDesk(driver)

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
    // The automation's own script may have caused the next alert.
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
    // The tick's writes do not outdate an open form.
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
    const answer = await setState(monitor, 'failing').finally(() =>
      backend.sql('alter table public.automation_runs drop constraint tried'),
    )
    expect(answer.status).toBe(200)
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
