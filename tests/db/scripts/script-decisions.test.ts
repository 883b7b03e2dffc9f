import { describe, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { drivers } from '../../support/backend'
import { runIds } from '../support/agent-functions-fleet'
import {
  add,
  approve,
  approver,
  author,
  backend,
  company,
  decline,
  device,
  edit,
  fleet,
  kinds,
  openScriptDesk,
  type Person,
  person,
  queue,
  read,
  replaced,
  runOf,
  script,
  teknik,
  told,
  write,
} from '../support/script-desk'

describe.each(drivers())('what waits for the approval of a script on %s', (driver) => {
  openScriptDesk(driver)

  it('ends with an edit, and what a device did not ask for yet, when it asks', async () => {
    const far = await fleet.enroll()
    const job = await queue()
    const later = await queue(teknik, [far])
    await fleet.checkIn(device)
    await edit('id; date')
    expect(await runOf(job)).toEqual(replaced)
    expect(await backend.sql('select status, failed from public.jobs where id = $1', [job])).toEqual([
      { status: 'finished', failed: 1 },
    ])
    expect((await runOf(later))?.status).toBe('queued')
    expect((await approve()).error).toBeNull()
    expect(runIds(await fleet.checkIn(far))).toEqual([])
    expect(await runOf(later)).toEqual({ ...replaced, waits_for: null })
    // It never ran.
    expect(
      await backend.sql('select 1 from public.procedure_stats where procedure_id = $1', [script]),
    ).toEqual([])
  })

  it('goes on where the version was approved before the edit, and where nothing asks for approval', async () => {
    const job = await queue()
    await fleet.checkIn(device)
    await approve()
    expect((await runOf(job))?.waits_for).toBeNull()
    await edit('id; date')
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
    const free = await queue()
    await fleet.checkIn(device)
    expect((await read())?.waits).toBe(true)
    await backend.sql('update public.policies set needs_approval = false where company_id = $1', [company])
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
    await edit('id; uptime')
    expect((await runOf(free))?.status).toBe('claimed')
  })

  it('ends for schedules, monitors and automations, whose next step nobody asked for', async () => {
    await add('scheduled_tasks', {
      company_id: company,
      name: 'T',
      procedure_id: script,
      target_kind: 'device',
      device_id: device.device_id,
      frequency: 'once',
      starts_at: new Date(Date.now() - 1000).toISOString(),
    })
    await backend.sql('select app.tick()')
    const monitor = await add('monitors', {
      company_id: company,
      name: 'M',
      type: 'Service',
      service_name: 'x',
      procedure_id: script,
    })
    await backend.sql(`select app.open_alert(m, $2, 'down') from public.monitors m where m.id = $1`, [
      monitor,
      device.device_id,
    ])
    const automation = await add('automations', { company_id: company, name: 'A' })
    const next = await write('Next')
    for (const [position, procedure_id] of [script, next].entries())
      await add('automation_steps', {
        company_id: company,
        automation_id: automation,
        procedure_id,
        position: position + 1,
        on_failure: 'continue',
      })
    await add('automation_devices', {
      company_id: company,
      automation_id: automation,
      device_id: device.device_id,
    })
    expect((await approver.client.rpc('run_automation', { automation_id: automation })).data).toBe(1)
    await fleet.checkIn(device)
    const state = () =>
      backend.sql<{ kind: string; status: string; error: string | null; created_by: string | null }>(
        `select case when j.schedule_id is not null then 'schedule' when r.automation_run_id is not null then 'automation' else 'monitor' end as kind,
           r.status, r.error, j.created_by
         from public.job_runs r join public.jobs j on j.id = r.job_id where r.procedure_id = $1 order by 1`,
        [script],
      )
    expect((await state()).map(({ status }) => status)).toEqual(['queued', 'queued', 'queued'])
    await edit('id; date')
    expect((await state()).map(({ kind, error }) => [kind, error])).toEqual([
      ['automation', 'replaced'],
      ['monitor', 'replaced'],
      ['schedule', 'replaced'],
    ])
    expect(
      await backend.sql(
        `select r.status, j.created_by from public.job_runs r join public.jobs j on j.id = r.job_id where r.procedure_id = $1`,
        [next],
      ),
    ).toEqual([{ status: 'queued', created_by: null }])
  })

  it('is marked on the script while runs wait, without making an open form out of date', async () => {
    const before = (await read())?.version
    const waits = async () => (await read())?.waits
    expect(await waits()).toBe(false)
    const job = await queue()
    expect(await waits()).toBe(false)
    await fleet.checkIn(device)
    expect(await waits()).toBe(true)
    await teknik.client.rpc('cancel_job', { job_id: job })
    expect(await waits()).toBe(false)
    const late = await queue()
    await fleet.checkIn(device)
    await backend.sql(`update public.jobs set expires_at = now() - interval '1 second' where id = $1`, [late])
    await backend.sql('select app.tick()')
    expect([(await runOf(late))?.status, await waits()]).toEqual(['expired', false])
    await queue()
    await fleet.checkIn(device)
    await approve()
    expect([await waits(), (await read())?.version]).toEqual([false, before])
    expect((await read())?.approved_name).toBeTruthy()
    await edit('id; date')
    expect(await read()).toMatchObject({ waits: false, approved_name: null, version: Number(before) + 1 })
    for (const column of ['waiting_since', 'approved_at', 'approved_name', 'declined_at', 'decline_reason'])
      expect(
        (
          await author.client
            .from('procedures')
            .update({ [column]: null })
            .eq('id', script)
        ).error?.code,
      ).toBe('42501')
  })

  it('is told once a version to who else may approve it, and decisions to the author and who asked', async () => {
    const [second, standard, stranger] = (await Promise.all([
      person('Admin'),
      person('Standard'),
      person('Admin', await createCompany(backend)),
    ])) as [Person, Person, Person]
    const other = await fleet.enroll()
    await queue(teknik, [device, other])
    for (const each of [device, other, device]) await fleet.checkIn(each)
    await queue()
    await fleet.checkIn(device)
    for (const who of [approver, second])
      expect(await told(who)).toEqual([
        { kind: 'script_waiting', params: { script: 'S', number: 1 }, link: `/procedures/${script}` },
      ])
    for (const who of [author, teknik, standard, stranger]) expect(await told(who)).toEqual([])
    await approve()
    await approve(second)
    for (const who of [author, teknik])
      expect(await told(who)).toMatchObject([
        { kind: 'script_approved', params: { script: 'S', number: 1 }, link: `/procedures/${script}` },
      ])
    await edit('id; date')
    await queue()
    await fleet.checkIn(device)
    expect(await kinds(second)).toEqual(['script_waiting', 'script_waiting'])
    await decline(approver, '  Deletes too much ')
    for (const who of [author, teknik])
      expect((await told(who))[1]).toMatchObject({
        kind: 'script_declined',
        params: { script: 'S', number: 2, reason: 'Deletes too much' },
      })
    expect([await kinds(standard), await kinds(stranger)]).toEqual([[], []])
  })

  it('never floods anybody: ten unread are enough, of however many scripts', async () => {
    const scripts = await Promise.all(Array.from({ length: 14 }, (_, n) => write(`S${n}`)))
    for (const each of scripts) {
      await queue(teknik, [device], each)
      await fleet.checkIn(device)
    }
    const marked = await backend.sql(
      'select 1 from public.procedures where company_id = $1 and waiting_since is not null',
      [company],
    )
    expect([marked.length, (await kinds(approver)).length]).toEqual([14, 10])
  })

  it('is not told, nor marked, while the license does not hold', async () => {
    await queue()
    await backend.sql('update public.companies set license_end_date = current_date - 1 where id = $1', [
      company,
    ])
    await fleet.checkIn(device)
    expect([(await read())?.waits, await told(approver)]).toEqual([false, []])
  })
})
