import { describe, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import {
  acme,
  admin,
  backend,
  counts,
  createDevices,
  createProcedure,
  globex,
  openDesk,
  queued,
  run,
  runsOf,
  signedIn,
  standard,
  superAdmin,
  teknik,
} from '../support/job-desk'

openDesk()

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
    expect(shown.secret_names).toEqual(['password'])
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

  it('refuses no device, more than twenty thousand, and an expiry in the past or far away', async () => {
    const procedure = await createProcedure(acme)
    const [device = ''] = await createDevices(acme, 1)
    const hints = await Promise.all([
      run(admin, procedure, []),
      run(
        admin,
        procedure,
        Array.from({ length: 20_001 }, () => crypto.randomUUID()),
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

  it('leaves one audit row for the job, however many devices it is for', async () => {
    const devices = await createDevices(acme, 2)
    const id = await queued(devices)
    const rows = await backend.sql(
      `select table_name, action, actor_email is not null as known from public.audit_log
       where row_id = $1 or row_id in (select id from public.job_runs where job_id = $1) order by table_name`,
      [id],
    )
    expect(rows).toEqual([{ table_name: 'jobs', action: 'create', known: true }])
  })
})
