import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type Device, fleetOf, result, runIds } from '../support/agent-functions-fleet'

describe.each(drivers())('approval, tests, stars and counts of scripts on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let author: SupabaseClient
  let approver: SupabaseClient
  let fleet: ReturnType<typeof fleetOf>
  let device: Device
  let script: string
  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(() => backend?.stop())
  const as = async (role: string, of = company) =>
    backend.client((await createAccount(backend, role, of)).email)
  beforeEach(async () => {
    company = await createCompany(backend)
    author = await as('Admin')
    approver = await as('Admin')
    fleet = fleetOf(backend, company)
    device = await fleet.enroll()
    script = await write(author)
  })

  const write = async (client: SupabaseClient): Promise<string> => {
    const { data, error } = await client
      .from('procedures')
      .insert({ company_id: company, name: 'S', type: 'Bash', script: 'id' })
      .select('id')
      .single()
    if (error) throw error
    return data.id
  }
  const needApproval = () =>
    backend.sql(
      `insert into public.policies (company_id, name, kind, needs_approval) values ($1, 'Four eyes', 'permission', true)`,
      [company],
    )
  const version = async (of = script) =>
    (
      await backend.sql<{ id: string; approved_name: string | null }>(
        'select id, approved_name from public.procedure_versions where procedure_id = $1 order by number desc limit 1',
        [of],
      )
    )[0]
  const approve = async (client: SupabaseClient, id?: string) =>
    client.rpc('approve_procedure', { version_id: id ?? (await version())?.id })
  const isApproved = async () =>
    (await author.from('procedures').select('is_approved,approved_revision').eq('id', script).single()).data
  const queue = async () => {
    const { data, error } = await author.rpc('run_procedure', {
      procedure_id: script,
      device_ids: [device.device_id],
    })
    if (error) throw error
    return String(data)
  }
  const runOf = async (job: string) =>
    (
      await backend.sql<{ status: string; error: string | null; waits_for: string | null }>(
        'select status, error, waits_for from public.job_runs where job_id = $1',
        [job],
      )
    )[0]

  it('holds a run until another person has approved the version, and an edit needs that again', async () => {
    await needApproval()
    const job = await queue()
    expect(runIds(await fleet.checkIn(device))).toEqual([])
    expect(await runOf(job)).toEqual({ status: 'queued', error: null, waits_for: 'approval' })
    const own = await approve(author)
    expect([own.error?.code, own.error?.hint]).toEqual(['42501', 'own_version'])
    expect(runIds(await fleet.checkIn(device))).toEqual([])
    expect((await approve(approver)).error).toBeNull()
    expect(await isApproved()).toEqual({ is_approved: true, approved_revision: 1 })
    expect((await version())?.approved_name).toBeTruthy()
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
    expect(await runOf(job)).toEqual({ status: 'claimed', error: null, waits_for: null })

    await approver.from('procedures').update({ script: 'id; whoami' }).eq('id', script)
    expect(await isApproved()).toEqual({ is_approved: false, approved_revision: 1 })
    const next = await queue()
    expect(runIds(await fleet.checkIn(device))).toEqual([])
    expect((await runOf(next))?.waits_for).toBe('approval')
    // The edit is the approver's own now, so that the first author is the second person.
    expect((await approve(approver)).error?.hint).toBe('own_version')
    expect((await approve(author)).error).toBeNull()
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
  })

  it('asks nothing of devices without such a policy, and nothing of commands', async () => {
    await queue()
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
    await needApproval()
    await author.rpc('run_command', { type: 'Bash', command: 'id', device_ids: [device.device_id] })
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
  })

  it('approves only what the approver saw: not a version that was replaced meanwhile', async () => {
    const seen = (await version())?.id
    await author.from('procedures').update({ script: 'rm -rf /tmp/x' }).eq('id', script)
    expect((await approve(approver, seen)).error?.hint).toBe('version_replaced')
    expect(await isApproved()).toEqual({ is_approved: false, approved_revision: null })
  })

  it('covers the systems of a script: one more asks for another approval', async () => {
    expect((await approve(approver, (await version())?.id)).error).toBeNull()
    const { error } = await author
      .from('procedures')
      .update({ platforms: ['linux'] })
      .eq('id', script)
    expect(error).toBeNull()
    expect((await isApproved())?.is_approved).toBe(false)
    const [newest] = await backend.sql(
      'select number, platforms from public.procedure_versions where procedure_id = $1 order by number desc limit 1',
      [script],
    )
    expect(newest).toEqual({ number: 2, platforms: ['linux'] })
  })

  it('is for those who may approve scripts of their company, while its license holds', async () => {
    const codes = await Promise.all(
      [as('Teknik'), as('Standard'), as('Admin', await createCompany(backend)), backend.client()].map(
        async (client) => (await approve(await client)).error?.code,
      ),
    )
    expect(codes).toEqual(['42501', '42501', 'PT404', '42501'])
    for (const table of ['procedures', 'procedure_versions'] as const) {
      const forged = await approver
        .from(table)
        .update((table === 'procedures' ? { approved_revision: 1 } : { approved_at: '2026-01-01' }) as never)
        .eq('company_id', company)
      expect(forged.error?.code).toBe('42501')
    }
    await backend.sql('update public.companies set license_end_date = current_date - 1 where id = $1', [
      company,
    ])
    expect((await approve(approver)).error?.code).toBe('42501')
    expect(
      await backend.sql(
        'select 1 from public.procedure_versions where approved_at is not null and company_id = $1',
        [company],
      ),
    ).toEqual([])
  })

  it('runs a text before it is saved, on one device, and keeps nothing of it but the task', async () => {
    const before = await backend.sql(
      'select count(*)::int as n from public.procedures where company_id = $1',
      [company],
    )
    const test = (more: Record<string, unknown> = {}, client = author) =>
      client.rpc('test_script', {
        device_id: device.device_id,
        type: 'Bash',
        script: 'echo $PARAM_HOST',
        definitions: [{ name: 'host', kind: 'text', required: true }],
        parameters: { host: 'a' },
        ...more,
      })
    const { data, error } = await test()
    expect(error).toBeNull()
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
    expect(
      await backend.sql('select procedure_id, parameters, total from public.jobs where id = $1', [data]),
    ).toEqual([{ procedure_id: null, parameters: { host: 'a' }, total: 1 }])
    expect(
      await backend.sql('select count(*)::int as n from public.procedures where company_id = $1', [company]),
    ).toEqual(before)
    const hints = await Promise.all([
      test({ parameters: {} }),
      test({ definitions: {} }),
      test({ script: '' }),
      test({ type: 'Perl' }),
      test({ timeout_seconds: 0 }),
    ])
    expect(hints.map(({ error: refused }) => refused?.hint)).toEqual([
      'parameter_required',
      'parameters_invalid',
      'script_size',
      'type_invalid',
      'timeout_invalid',
    ])
    expect((await test({}, await as('Standard'))).error?.code).toBe('42501')
    expect((await test({}, await as('Admin', await createCompany(backend)))).error?.hint).toBe('device_gone')
    await needApproval()
    const refused = await test()
    expect(runIds(await fleet.checkIn(device))).toEqual([])
    expect(await runOf(String(refused.data))).toMatchObject({ status: 'failed', error: 'unapproved' })
  })

  it('counts runs that ended, once each', async () => {
    const stats = async () =>
      (
        await author
          .from('procedure_stats')
          .select('runs,succeeded,success_percent')
          .eq('procedure_id', script)
      ).data
    expect(await stats()).toEqual([])
    for (const more of [{}, { state: 'failed', exit_code: 1 }, {}]) {
      await queue()
      const [run = ''] = runIds(await fleet.checkIn(device))
      await fleet.report(device, [result(run, more)])
      await fleet.report(device, [result(run, more)])
    }
    const canceled = await queue()
    await author.rpc('cancel_job', { job_id: canceled })
    expect(await stats()).toEqual([{ runs: 3, succeeded: 2, success_percent: 67 }])
    expect((await (await as('Standard')).from('procedure_stats').select('runs')).data ?? []).toEqual([])
  })

  it('keeps the stars of each person apart', async () => {
    const mark = (client: SupabaseClient, is_favorite = true) =>
      client.rpc('mark_favorite', { procedure_id: script, is_favorite })
    const seen = async (client: SupabaseClient) =>
      (await client.from('procedure_favorites').select('procedure_id')).data?.length
    expect((await mark(author)).error).toBeNull()
    expect((await mark(author)).error).toBeNull()
    expect([await seen(author), await seen(approver)]).toEqual([1, 0])
    const { data } = await author
      .from('procedures')
      .select('id,procedure_favorites!inner(user_id)')
      .eq('company_id', company)
    expect(data).toHaveLength(1)
    expect((await mark(await as('Admin', await createCompany(backend)))).error?.hint).toBe('procedure_gone')
    expect((await mark(await as('Standard'))).error?.code).toBe('42501')
    expect((await mark(author, false)).error).toBeNull()
    expect(await seen(author)).toBe(0)
  })
})
