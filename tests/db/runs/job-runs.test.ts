import type { SupabaseClient } from '@supabase/supabase-js'
import { describe, expect, it } from 'vitest'
import {
  acme,
  admin,
  backend,
  createDevices,
  createProcedure,
  job,
  openDesk,
  other,
  queued,
  run,
  runsOf,
  standard,
  teknik,
} from '../support/job-desk'

openDesk()

describe('a finished run', () => {
  it('says how long it took, and leaves nothing of that in the audit log', async () => {
    const id = await queued(await createDevices(acme, 2))
    const [first, second] = await runsOf(id)
    const end = (run: string | undefined, interval: string) =>
      backend.sql(
        `update public.job_runs set status = 'succeeded', started_at = now(), finished_at = now() + $2::interval where id = $1`,
        [run, interval],
      )
    await end(first?.id, '1.5 seconds')
    await end(second?.id, '-1 second')
    const seconds = async (run: string | undefined) =>
      (await admin.from('job_runs').select('duration_seconds').eq('id', run).single()).data
    expect(Number((await seconds(first?.id))?.duration_seconds)).toBe(1.5)
    expect(await seconds(second?.id)).toEqual({ duration_seconds: null })
    expect(
      await backend.sql(`select action from public.audit_log where row_id in ($1, $2) and action = 'edit'`, [
        first?.id,
        second?.id,
      ]),
    ).toEqual([])
  })
})

describe('cancelling', () => {
  it('ends queued runs at once and asks the device to stop claimed ones', async () => {
    const devices = await createDevices(acme, 2)
    const id = await queued(devices)
    const [first] = await runsOf(id)
    await backend.sql(
      `update public.job_runs set status = 'claimed', attempt = 1, lease_until = now() + interval '5 minutes' where id = $1`,
      [first?.id],
    )
    const { data, error } = await teknik.rpc('cancel_job', { job_id: id })
    expect([data, error]).toEqual(['cancelled', null])
    expect((await runsOf(id)).map(({ status, cancel }) => [status, cancel])).toEqual([
      ['claimed', true],
      ['cancelled', true],
    ])
    expect(await job(id)).toMatchObject({
      status: 'cancelled',
      outcome: 'canceled',
      succeeded: 0,
      failed: 0,
      canceled: 1,
    })
  })

  it('of one run says what became of it, and changes nothing that is over', async () => {
    const id = await queued(await createDevices(acme, 1))
    const [only] = await runsOf(id)
    expect((await admin.rpc('cancel_run', { run_id: only?.id })).data).toBe('cancelled')
    expect((await admin.rpc('cancel_run', { run_id: only?.id })).data).toBe('cancelled')
    expect(await job(id)).toMatchObject({
      status: 'finished',
      outcome: 'canceled',
      total: 1,
      failed: 0,
      canceled: 1,
    })
    expect((await admin.rpc('cancel_job', { job_id: id })).data).toBe('finished')
  })

  it('ends the chosen runs of the list, for nobody but their own company', async () => {
    const id = await queued(await createDevices(acme, 2))
    const ids = (await runsOf(id)).map((each) => each.id)
    const cancel = (client: SupabaseClient) =>
      client.rpc('bulk_act', {
        resource: 'job_runs',
        ids,
        act: 'cancel_run',
        argument: 'run_id',
        args: {},
        condition: { status: { _eq: 'queued' } },
      })
    await cancel(other)
    await cancel(standard)
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(['queued', 'queued'])
    expect((await cancel(teknik)).error).toBeNull()
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
  })

  it('is refused to another company, as if there were nothing, and to Standard by role', async () => {
    const id = await queued(await createDevices(acme, 1))
    const [only] = await runsOf(id)
    const foreign = await other.rpc('cancel_run', { run_id: only?.id })
    const missing = await other.rpc('cancel_run', { run_id: crypto.randomUUID() })
    expect([foreign.status, foreign.error]).toEqual([missing.status, missing.error])
    expect(foreign.status).toBe(404)
    expect((await other.rpc('cancel_job', { job_id: id })).status).toBe(404)
    expect((await standard.rpc('cancel_job', { job_id: id })).error?.code).toBe('42501')
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(['queued'])
  })
})

describe('the outcome of a job', () => {
  it.each([
    [['succeeded', 'running'], 'running'],
    [['succeeded', 'succeeded'], 'succeeded'],
    [['succeeded', 'expired'], 'partly_failed'],
    [['failed', 'timed_out'], 'failed'],
    [['failed', 'cancelled'], 'failed'],
    [['succeeded', 'failed', 'cancelled'], 'partly_failed'],
    [['succeeded', 'cancelled'], 'canceled'],
    [['cancelled', 'cancelled'], 'canceled'],
  ])('of runs that ended %j is %s', async (statuses, outcome) => {
    const id = await queued(await createDevices(acme, statuses.length))
    const runs = await runsOf(id)
    for (const [index, status] of statuses.entries())
      await backend.sql('update public.job_runs set status = $2 where id = $1', [runs[index]?.id, status])
    const count = (...counted: string[]) => statuses.filter((status) => counted.includes(status)).length
    expect(await job(id)).toEqual({
      status: outcome === 'running' ? 'running' : 'finished',
      outcome,
      total: statuses.length,
      succeeded: count('succeeded'),
      failed: count('failed', 'timed_out', 'expired'),
      canceled: count('cancelled'),
    })
  })

  it('is canceled as soon as it is stopped, unless something failed', async () => {
    const id = await queued(await createDevices(acme, 3))
    const [first, second] = await runsOf(id)
    await backend.sql(`update public.job_runs set status = 'running' where id = any ($1)`, [
      [first?.id, second?.id],
    ])
    await teknik.rpc('cancel_job', { job_id: id })
    expect(await job(id)).toMatchObject({ status: 'cancelled', outcome: 'canceled', canceled: 1 })
    await backend.sql(`update public.job_runs set status = 'failed' where id = $1`, [first?.id])
    expect(await job(id)).toMatchObject({ status: 'cancelled', outcome: 'failed', failed: 1 })
  })

  it('takes a canceled run back that reports a result after all', async () => {
    const id = await queued(await createDevices(acme, 1))
    await admin.rpc('cancel_job', { job_id: id })
    await backend.sql(`update public.job_runs set status = 'succeeded' where job_id = $1`, [id])
    expect(await job(id)).toMatchObject({ succeeded: 1, failed: 0, canceled: 0 })
  })

  it('is no change for the audit log, and neither are the counters', async () => {
    const id = await queued(await createDevices(acme, 1))
    await admin.rpc('cancel_job', { job_id: id })
    const changes = await backend.sql<{ changes: Record<string, unknown> }>(
      `select changes from public.audit_log where row_id = $1 and action <> 'create'`,
      [id],
    )
    expect(new Set(changes.flatMap((entry) => Object.keys(entry.changes)))).toEqual(new Set(['status']))
  })
})

describe('app.expire_runs', () => {
  it('ends what nobody claimed in time, and leaves the rest', async () => {
    const late = await queued(await createDevices(acme, 2))
    const fresh = await queued(await createDevices(acme, 1))
    await backend.sql(`update public.jobs set expires_at = now() - interval '1 second' where id = $1`, [late])
    await backend.sql('select app.expire_runs()')
    expect((await runsOf(late)).map(({ status, error }) => [status, error])).toEqual([
      ['expired', 'expired'],
      ['expired', 'expired'],
    ])
    expect(await job(late)).toMatchObject({
      status: 'finished',
      outcome: 'failed',
      total: 2,
      failed: 2,
      canceled: 0,
    })
    expect((await runsOf(fresh)).map(({ status }) => status)).toEqual(['queued'])
    expect(await backend.sql('select app.expire_runs() as moved')).toEqual([{ moved: 0 }])
  })

  it('gives up a silent device only when its script can no longer be running', async () => {
    const id = await queued(await createDevices(acme, 1))
    const silent = (started: string) =>
      backend.sql(
        `update public.job_runs set status = 'running', attempt = 1, claimed_at = now() - $2::interval,
           started_at = now() - $2::interval, lease_until = now() - interval '1 minute' where job_id = $1`,
        [id, started],
      )
    await backend.sql(`update public.jobs set expires_at = now() - interval '1 minute' where id = $1`, [id])
    await silent('30 minutes')
    await backend.sql('select app.expire_runs()')
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(['running'])
    await silent('2 hours')
    await backend.sql('select app.expire_runs()')
    expect((await runsOf(id)).map(({ status, error }) => [status, error])).toEqual([['expired', 'lost']])
  })

  it('ends a run with a requested stop once its device stops checking in', async () => {
    const id = await queued(await createDevices(acme, 1))
    await backend.sql(
      `update public.job_runs set status = 'running', attempt = 1, claimed_at = now(), lease_until = now() - interval '1 second',
         cancel_requested_at = now() where job_id = $1`,
      [id],
    )
    await backend.sql('select app.expire_runs()')
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(['cancelled'])
  })
})

describe('a deleted device or script', () => {
  it('takes a device’s open runs out of the job, and keeps the log of finished ones', async () => {
    const devices = await createDevices(acme, 2)
    const id = await queued(devices)
    const [first, second] = await runsOf(id)
    await backend.sql(
      `update public.job_runs set status = 'succeeded', attempt = 1, reported_at = now(), finished_at = now(), output = 'hi' where id = $1`,
      [first?.id],
    )
    await admin
      .from('devices')
      .delete()
      .eq('id', second?.device_id ?? '')
    expect(await job(id)).toMatchObject({
      status: 'finished',
      outcome: 'succeeded',
      total: 1,
      succeeded: 1,
      failed: 0,
    })
    await admin
      .from('devices')
      .delete()
      .eq('id', first?.device_id ?? '')
    const logs = await backend.sql(
      `select procedure_name, device_id, job_run_id, status, output from public.procedure_logs where company_id = $1 and output = 'hi'`,
      [acme],
    )
    expect(logs).toEqual([
      { procedure_name: 'Greet', device_id: null, job_run_id: null, status: 'success', output: 'hi' },
    ])
  })

  it('leaves jobs readable when their procedure is deleted', async () => {
    const devices = await createDevices(acme, 1)
    const procedure = await createProcedure(acme)
    const { data } = await run(admin, procedure, devices)
    expect((await admin.from('procedures').delete().eq('id', procedure)).error).toBeNull()
    const { data: shown } = await admin
      .from('jobs')
      .select('name,procedure_id,script')
      .eq('id', data as string)
      .single()
    expect(shown).toEqual({ name: 'Greet', procedure_id: null, script: 'echo hello' })
  })
})
