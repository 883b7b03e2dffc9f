import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../support/accounts'
import { sharedBackend, type TestBackend } from '../support/backend'

let backend: TestBackend
let acme: string
let globex: string
let admin: SupabaseClient
let teknik: SupabaseClient
let standard: SupabaseClient
let other: SupabaseClient
let superAdmin: SupabaseClient

const signedIn = async (role: string, company: string | null): Promise<SupabaseClient> =>
  backend.client((await createAccount(backend, role, company)).email)

beforeAll(async () => {
  backend = await sharedBackend()
  acme = await createCompany(backend)
  globex = await createCompany(backend)
  admin = await signedIn('Admin', acme)
  teknik = await signedIn('Teknik', acme)
  standard = await signedIn('Standard', acme)
  other = await signedIn('Admin', globex)
  superAdmin = await signedIn('Super Admin', null)
})
afterAll(() => backend.stop())

async function idOf(query: string, params: readonly unknown[]): Promise<string> {
  const [row] = await backend.sql<{ id: string }>(query, params)
  if (!row) throw new Error(`No row: ${query}`)
  return row.id
}

const createDevices = async (company: string, count: number): Promise<string[]> =>
  (
    await backend.sql<{ id: string }>(
      `insert into public.devices (company_id, name) select $1, 'PC-' || n from generate_series(1, $2) n returning id`,
      [company, count],
    )
  ).map(({ id }) => id)

const createProcedure = (company: string, parameters: unknown[] = []): Promise<string> =>
  idOf(
    `insert into public.procedures (company_id, name, type, script, parameters)
     values ($1, 'Greet', 'Bash', 'echo hello', ($2::text)::jsonb) returning id`,
    [company, JSON.stringify(parameters)],
  )

const run = (
  client: SupabaseClient,
  procedure: string,
  devices: string[],
  more: Record<string, unknown> = {},
) => client.rpc('run_procedure', { procedure_id: procedure, device_ids: devices, ...more })

async function queued(devices: string[], more: Record<string, unknown> = {}): Promise<string> {
  const { data, error } = await run(admin, await createProcedure(acme), devices, more)
  if (error) throw error
  return data as string
}

const job = async (id: string) =>
  (await backend.sql('select status, total, succeeded, failed from public.jobs where id = $1', [id])).at(0)

const runsOf = (jobId: string) =>
  backend.sql<{ id: string; status: string; device_id: string; error: string | null; cancel: boolean }>(
    `select id, status, device_id, error, cancel_requested_at is not null as cancel from public.job_runs
     where job_id = $1 order by queued_at, id`,
    [jobId],
  )

const counts = async () =>
  (
    await backend.sql(
      'select (select count(*) from public.jobs)::int as jobs, (select count(*) from public.job_runs)::int as runs',
    )
  )[0]

describe('run_procedure', () => {
  it('makes one job with a copy of the script and one run a device, however often it is named', async () => {
    const devices = await createDevices(acme, 3)
    const procedure = await createProcedure(acme)
    const { data, error } = await run(teknik, procedure, [...devices, ...devices])
    expect(error).toBeNull()
    const [row] = await backend.sql(
      `select kind, name, procedure_id, script_type, script, script_sha256, status, total,
         expires_at - created_at = interval '24 hours' as a_day,
         exists (select 1 from public.procedure_versions v where v.id = procedure_version_id and v.number = 1) as versioned
       from public.jobs where id = $1`,
      [data],
    )
    expect(row).toEqual({
      kind: 'procedure',
      name: 'Greet',
      procedure_id: procedure,
      script_type: 'Bash',
      script: 'echo hello',
      script_sha256: '584a331fd6b02dcb1ecbe2eba731f609a2e1e3dac0bb73ae998dfad14c309a77',
      status: 'running',
      total: 3,
      a_day: true,
      versioned: true,
    })
    expect((await runsOf(data as string)).map(({ status }) => status)).toEqual(['queued', 'queued', 'queued'])
  })

  it('keeps a secret value out of everything that can be read', async () => {
    const [device = ''] = await createDevices(acme, 1)
    const procedure = await createProcedure(acme, [
      { name: 'user', kind: 'text', default: 'nobody' },
      { name: 'password', kind: 'secret', required: true },
    ])
    const { data, error } = await run(admin, procedure, [device], {
      parameters: { password: 'hunter2-hunter2' },
    })
    expect(error).toBeNull()
    const { data: shown } = await admin
      .from('jobs')
      .select('*')
      .eq('id', data as string)
      .single()
    expect(shown.parameters).toEqual({ user: 'nobody' })
    const [everything] = await backend.sql<{ text: string }>(
      `select (select string_agg(j::text, '') from public.jobs j) || coalesce((select string_agg(a::text, '') from public.audit_log a), '') as text`,
    )
    expect(everything?.text).not.toContain('hunter2-hunter2')
    expect(await backend.sql('select parameters from app.job_secrets where job_id = $1', [data])).toEqual([
      { parameters: { password: 'hunter2-hunter2' } },
    ])
    await admin.rpc('cancel_job', { job_id: data })
    expect(await backend.sql('select 1 from app.job_secrets where job_id = $1', [data])).toEqual([])
  })

  it.each([
    ['an unknown name', { color: 'red' }, 'parameter_unknown'],
    ['a required one missing', {}, 'parameter_required'],
    ['a required one empty', { mode: 'slow', host: '' }, 'parameter_required'],
    ['a word for a number', { host: 'a', count: 'many' }, 'parameter_invalid'],
    ['a value that is no choice', { host: 'a', mode: 'sideways' }, 'parameter_invalid'],
    ['an object', { host: { a: 1 } }, 'parameter_invalid'],
    ['no boolean', { host: 'a', force: 'perhaps' }, 'parameter_invalid'],
    ['a secret too short to be masked in the output', { host: 'a', pin: '123' }, 'parameter_secret_short'],
  ])('refuses parameters with %s', async (_what, parameters, hint) => {
    const [device = ''] = await createDevices(acme, 1)
    const procedure = await createProcedure(acme, [
      { name: 'host', kind: 'text', required: true },
      { name: 'count', kind: 'number' },
      { name: 'mode', kind: 'choice', choices: ['fast', 'slow'] },
      { name: 'force', kind: 'boolean' },
      { name: 'pin', kind: 'secret' },
    ])
    const { error, status } = await run(admin, procedure, [device], { parameters })
    expect([status, error?.code, error?.hint]).toEqual([400, '23514', hint])
  })

  it('takes what fits, with its type kept', async () => {
    const [device = ''] = await createDevices(acme, 1)
    const procedure = await createProcedure(acme, [
      { name: 'count', kind: 'number' },
      { name: 'mode', kind: 'choice', choices: ['fast', 'slow'], default: 'slow' },
      { name: 'force', kind: 'boolean' },
    ])
    const { data } = await run(admin, procedure, [device], { parameters: { count: 3, force: true } })
    expect(await backend.sql('select parameters from public.jobs where id = $1', [data])).toEqual([
      { parameters: { count: 3, force: true, mode: 'slow' } },
    ])
  })

  it('refuses no device, more than a thousand, and an expiry in the past or far away', async () => {
    const procedure = await createProcedure(acme)
    const [device = ''] = await createDevices(acme, 1)
    const hints = await Promise.all([
      run(admin, procedure, []),
      run(
        admin,
        procedure,
        Array.from({ length: 1001 }, () => crypto.randomUUID()),
      ),
      run(admin, procedure, [device], { expires_at: '2020-01-01T00:00:00Z' }),
      run(admin, procedure, [device], { expires_at: new Date(Date.now() + 40 * 86_400_000).toISOString() }),
    ])
    expect(hints.map(({ error }) => error?.hint)).toEqual([
      'devices_none',
      'devices_too_many',
      'expiry_invalid',
      'expiry_invalid',
    ])
  })

  it('tells of another company’s procedure or device what it tells of one that does not exist', async () => {
    const ours = await createProcedure(acme)
    const theirs = await createProcedure(globex)
    const [ourDevice = ''] = await createDevices(acme, 1)
    const [theirDevice = ''] = await createDevices(globex, 1)
    const before = await counts()
    const answer = async (procedure: string, devices: string[], client = admin) => {
      const { status, error } = await run(client, procedure, devices)
      return {
        status,
        code: error?.code,
        hint: error?.hint,
        message: error?.message,
        details: error?.details,
      }
    }
    const nowhere = crypto.randomUUID()
    expect(await answer(theirs, [theirDevice])).toEqual(await answer(nowhere, [theirDevice]))
    expect(await answer(ours, [ourDevice, theirDevice])).toEqual(await answer(ours, [ourDevice, nowhere]))
    expect(await answer(ours, [theirDevice])).toMatchObject({
      status: 404,
      code: 'PT404',
      hint: 'device_gone',
    })
    // A Super Admin sees both companies, and still cannot mix them.
    expect(await answer(ours, [theirDevice], superAdmin)).toMatchObject({ status: 404, hint: 'device_gone' })
    expect(await answer(ours, [ourDevice], superAdmin)).toMatchObject({ status: 200 })
    expect(await counts()).toEqual({ jobs: Number(before?.jobs) + 1, runs: Number(before?.runs) + 1 })
  })

  it('is refused with its reason to Standard, to a company whose license ended, and to nobody', async () => {
    const ended = await createCompany(backend, { endsIn: '-1 second' })
    const late = await signedIn('Admin', ended)
    const procedure = await createProcedure(ended)
    const devices = await createDevices(ended, 1)
    const before = await counts()
    const refusals = await Promise.all([run(standard, procedure, devices), run(late, procedure, devices)])
    expect(refusals.map(({ status, error }) => [status, error?.code, error?.hint])).toEqual([
      [403, '42501', 'role'],
      [403, '42501', 'read-only'],
    ])
    const nobody = await run(await backend.client(), procedure, devices)
    expect(nobody.error?.code).toBe('42501')
    expect(await counts()).toEqual(before)
  })

  it('leaves one audit row for the job and one for each device', async () => {
    const devices = await createDevices(acme, 2)
    const id = await queued(devices)
    const rows = await backend.sql(
      `select table_name, action, actor_email is not null as known from public.audit_log
       where row_id = $1 or row_id in (select id from public.job_runs where job_id = $1) order by table_name`,
      [id],
    )
    expect(rows).toEqual([
      { table_name: 'job_runs', action: 'create', known: true },
      { table_name: 'job_runs', action: 'create', known: true },
      { table_name: 'jobs', action: 'create', known: true },
    ])
  })
})

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
    expect(await job(id)).toEqual({ status: 'cancelled', total: 2, succeeded: 0, failed: 1 })
  })

  it('of one run says what became of it, and changes nothing that is over', async () => {
    const id = await queued(await createDevices(acme, 1))
    const [only] = await runsOf(id)
    expect((await admin.rpc('cancel_run', { run_id: only?.id })).data).toBe('cancelled')
    expect((await admin.rpc('cancel_run', { run_id: only?.id })).data).toBe('cancelled')
    expect(await job(id)).toEqual({ status: 'finished', total: 1, succeeded: 0, failed: 1 })
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
    expect(await job(late)).toEqual({ status: 'finished', total: 2, succeeded: 0, failed: 2 })
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

describe('what is removed', () => {
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
    expect(await job(id)).toEqual({ status: 'finished', total: 1, succeeded: 1, failed: 0 })
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
