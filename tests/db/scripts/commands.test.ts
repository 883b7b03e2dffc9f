import { describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import {
  acme,
  admin,
  backend,
  counts,
  createDevices,
  createProcedure,
  globex,
  openDesk,
  other,
  run,
  runsOf,
  signedIn,
  standard,
  superAdmin,
  teknik,
} from '../support/job-desk'

openDesk()

type Client = typeof admin

const command = (client: Client, devices: readonly string[], more: Record<string, unknown> = {}) =>
  client.rpc('run_command', { type: 'Bash', command: 'uptime\n', device_ids: devices, ...more })

describe('run_command', () => {
  it('makes one job named as its first line, and one run a device', async () => {
    const devices = await createDevices(acme, 2)
    const { data, error } = await command(teknik, [...devices, ...devices], {
      type: 'CMD',
      command: '\n ipconfig /all\nexit 0',
      timeout_seconds: 60,
    })
    expect(error).toBeNull()
    const [row] = await backend.sql(
      `select kind, name, procedure_id, script_type, script, timeout_seconds, status, total, parameters,
         script_sha256 = encode(sha256(convert_to(script, 'UTF8')), 'hex') as hashed,
         expires_at - created_at = interval '24 hours' as a_day
       from public.jobs where id = $1`,
      [data],
    )
    expect(row).toEqual({
      kind: 'command',
      name: 'ipconfig /all',
      procedure_id: null,
      script_type: 'Batch',
      script: '\n ipconfig /all\nexit 0',
      timeout_seconds: 60,
      status: 'running',
      total: 2,
      parameters: {},
      hashed: true,
      a_day: true,
    })
    expect((await runsOf(data as string)).map(({ status }) => status)).toEqual(['queued', 'queued'])
  })

  it('takes a name, and is canceled as any job', async () => {
    const { data } = await command(admin, await createDevices(acme, 1), { name: ' Who is there ' })
    expect(await backend.sql('select name from public.jobs where id = $1', [data])).toEqual([
      { name: 'Who is there' },
    ])
    expect((await admin.rpc('cancel_job', { job_id: data })).data).toBe('cancelled')
  })

  it.each([
    ['no command', { command: ' \n' }, 'command_empty'],
    ['no command at all', { command: null }, 'command_empty'],
    ['a command of 20,001 bytes', { command: 'x'.repeat(20_001) }, 'command_too_long'],
    ['another type', { type: 'Perl' }, 'type_invalid'],
    ['no type', { type: null }, 'type_invalid'],
    ['no time', { timeout_seconds: 0 }, 'timeout_invalid'],
    ['two days', { timeout_seconds: 172_800 }, 'timeout_invalid'],
    ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }, 'expiry_invalid'],
    ['no device', { device_ids: [] }, 'devices_none'],
  ])('refuses %s, and writes nothing', async (_what, more, hint) => {
    const devices = await createDevices(acme, 1)
    const before = await counts()
    const { error, status } = await command(admin, devices, more)
    expect([status, error?.code, error?.hint]).toEqual([400, '23514', hint])
    expect(await counts()).toEqual(before)
  })

  it('keeps to one company, and tells nobody of the devices of another', async () => {
    const [ours = ''] = await createDevices(acme, 1)
    const [theirs = ''] = await createDevices(globex, 1)
    const before = await counts()
    for (const [client, devices] of [
      [admin, [theirs]],
      [admin, [ours, theirs]],
      [other, [ours]],
      // A user who sees all companies names devices of one.
      [superAdmin, [ours, theirs]],
    ] as const) {
      const { error, status } = await command(client, devices)
      expect([status, error?.hint]).toEqual([404, 'device_gone'])
    }
    expect(await counts()).toEqual(before)
    const { data } = await command(superAdmin, [theirs])
    expect(await backend.sql('select company_id from public.jobs where id = $1', [data])).toEqual([
      { company_id: globex },
    ])
  })

  it('is refused to strangers, to Standard and under an expired license', async () => {
    const expired = await createCompany(backend, { status: 'Expired' })
    const [device = ''] = await createDevices(acme, 1)
    const [late = ''] = await createDevices(expired, 1)
    const before = await counts()
    expect((await command(await backend.client(), [device])).error?.code).toBe('42501')
    expect((await command(standard, [device])).error?.code).toBe('42501')
    const admins = await signedIn('Admin', expired)
    expect((await command(admins, [late])).error?.code).toBe('42501')
    expect(await counts()).toEqual(before)
  })
})

describe('what a person started', () => {
  it('is canceled when their account is deactivated, unlike what others started', async () => {
    const leaver = await createAccount(backend, 'Teknik', acme)
    const [mine, theirs] = await Promise.all([
      command(await backend.client(leaver.email), await createDevices(acme, 2), {
        expires_at: new Date(Date.now() + 20 * 86_400_000).toISOString(),
      }),
      command(teknik, await createDevices(acme, 1)),
    ])
    await backend.sql(
      `update public.job_runs set status = 'running', started_at = now() where id = (select min(id::text)::uuid from public.job_runs where job_id = $1)`,
      [mine.data],
    )
    const [device = ''] = await createDevices(acme, 1)
    const [automation] = await backend.sql<{ id: string }>(
      `with made as (insert into public.automations (company_id, name) values ($1, 'Two steps') returning id)
       insert into public.automation_runs (company_id, automation_id, device_id, trigger, started_by)
       select $1, id, $2, 'manual', $3 from made returning id`,
      [acme, device, leaver.id],
    )
    expect((await admin.rpc('deactivate_users', { ids: [leaver.id] })).error).toBeNull()
    // The report of the device would queue the next step.
    expect(
      await backend.sql('select status from public.automation_runs where id = $1', [automation?.id]),
    ).toEqual([{ status: 'cancelled' }])
    const runs = await backend.sql(
      `select status, cancel_requested_at is not null as asked from public.job_runs where job_id = $1 order by status`,
      [mine.data],
    )
    expect(runs).toEqual([
      { status: 'cancelled', asked: true },
      { status: 'running', asked: true },
    ])
    expect((await runsOf(theirs.data as string)).map(({ status }) => status)).toEqual(['queued'])
  })
})

describe('retry_job', () => {
  const failRuns = (jobId: unknown, status: string, limit: number) =>
    backend.sql(
      `update public.job_runs set status = $2, finished_at = now()
       where id in (select id from public.job_runs where job_id = $1 and status = 'queued' order by id limit $3)`,
      [jobId, status, limit],
    )
  const retry = (client: Client, id: unknown, which: { failed?: boolean; canceled?: boolean } = {}) =>
    client.rpc('retry_job', { job_id: id, ...which })
  const preview = (client: Client, id: unknown) => client.rpc('preview_retry', { job_id: id })

  it('runs what was sent once more, on the devices where it did not succeed', async () => {
    const { data: first } = await command(teknik, await createDevices(acme, 5), { timeout_seconds: 7 })
    expect((await retry(teknik, first)).error?.hint).toBe('job_runs')
    for (const [status, count] of [
      ['failed', 1],
      ['timed_out', 1],
      ['expired', 1],
      ['succeeded', 2],
    ] as const)
      await failRuns(first, status, count)
    const { data: second, error } = await retry(teknik, first)
    expect(error).toBeNull()
    const job = (id: unknown) =>
      backend.sql(
        `select kind, name, script, script_type, timeout_seconds, expires_at - created_at as open_for from public.jobs where id = $1`,
        [id],
      )
    expect(await job(second)).toEqual(await job(first))
    const devices = async (id: unknown, states: string[]) =>
      (await runsOf(id as string)).filter(({ status }) => states.includes(status)).map((run) => run.device_id)
    expect((await devices(second, ['queued'])).sort()).toEqual(
      (await devices(first, ['failed', 'timed_out', 'expired'])).sort(),
    )
  })

  it('runs once on each device, however many people ask', async () => {
    const { data: first } = await command(teknik, await createDevices(acme, 2))
    await failRuns(first, 'failed', 2)
    const answers = await Promise.all([retry(teknik, first), retry(admin, first), retry(teknik, first)])
    expect(answers.map(({ error }) => error?.hint ?? 'queued').sort()).toEqual([
      'queued',
      'retry_none',
      'retry_none',
    ])
    const second = answers.find(({ error }) => !error)?.data
    await failRuns(second, 'failed', 1)
    await failRuns(second, 'succeeded', 1)
    const { data: third, error } = await retry(teknik, second)
    expect(error).toBeNull()
    expect(await runsOf(third as string)).toHaveLength(1)
    await failRuns(third, 'succeeded', 1)
    for (const job of [first, second]) expect((await retry(teknik, job)).error?.hint).toBe('retry_none')
  })

  it('leaves out canceled runs unless they are asked for, and says beforehand where it runs', async () => {
    const { data: first } = await command(teknik, await createDevices(acme, 6))
    expect((await preview(teknik, first)).error?.hint).toBe('job_runs')
    await failRuns(first, 'succeeded', 1)
    await failRuns(first, 'failed', 2)
    await admin.rpc('cancel_job', { job_id: first })
    const [failed, canceled] = await Promise.all(
      ['failed', 'cancelled'].map(async (status) =>
        (await runsOf(first as string))
          .filter((run) => run.status === status)
          .map((run) => run.device_id)
          .sort(),
      ),
    )
    const { data: told, error } = await preview(teknik, first)
    expect(error).toBeNull()
    expect(told).toMatchObject({
      takes_secret: false,
      left_out: 0,
      failed: { devices: 2, offline: 2, ids: [] },
      canceled: { devices: 3, offline: 3, ids: [] },
    })
    const names = await backend.sql<{ name: string }>(
      'select name from public.devices where id = any ($1) order by name_key, id',
      [failed],
    )
    expect(told.failed.names).toEqual(names.map(({ name }) => name))

    const devicesOf = async (id: unknown) => (await runsOf(id as string)).map((run) => run.device_id).sort()
    expect((await retry(teknik, first, { failed: false })).error?.hint).toBe('retry_none')
    const second = await retry(teknik, first)
    expect(await devicesOf(second.data)).toEqual(failed)
    expect((await preview(teknik, first)).data).toMatchObject({
      left_out: 2,
      failed: { devices: 0, names: [] },
      canceled: { devices: 3 },
    })
    const third = await retry(teknik, first, { failed: true, canceled: true })
    expect(await devicesOf(third.data)).toEqual(canceled)
    const ofFirst = await backend.sql('select id from public.jobs where retry_of = $1 order by created_at', [
      first,
    ])
    expect(ofFirst).toEqual([{ id: second.data }, { id: third.data }])
  })

  it('names the devices of a script with a secret, so that it can be run again from its form', async () => {
    const procedure = await createProcedure(acme, [{ name: 'password', kind: 'secret' }])
    const devices = await createDevices(acme, 2)
    const { data } = await run(admin, procedure, devices)
    await failRuns(data, 'failed', 2)
    const { data: told } = await preview(admin, data)
    expect(told).toMatchObject({ takes_secret: true, failed: { devices: 2 } })
    expect([...told.failed.ids].sort()).toEqual([...devices].sort())
  })

  it('is refused once the script is deleted, whose secrets nobody could ask for', async () => {
    const procedure = await createProcedure(acme, [{ name: 'password', kind: 'secret' }])
    const { data } = await run(admin, procedure, await createDevices(acme, 1))
    await admin.rpc('cancel_job', { job_id: data })
    expect((await admin.from('procedures').delete().eq('id', procedure)).error).toBeNull()
    for (const ask of [retry, preview]) expect((await ask(admin, data)).error?.hint).toBe('procedure_gone')
  })

  it('is refused for a script with secrets, which are not kept', async () => {
    const procedure = await createProcedure(acme, [{ name: 'password', kind: 'secret' }])
    const { data } = await run(admin, procedure, await createDevices(acme, 1))
    await admin.rpc('cancel_job', { job_id: data })
    expect((await retry(admin, data)).error?.hint).toBe('secrets_needed')
  })

  it('is refused to strangers, to other companies and to Standard, which learn nothing', async () => {
    const { data } = await command(admin, await createDevices(acme, 1))
    await failRuns(data, 'failed', 1)
    const before = await counts()
    for (const ask of [retry, preview]) {
      expect((await ask(await backend.client(), data)).error?.code).toBe('42501')
      expect((await ask(standard, data)).error?.code).toBe('42501')
      expect((await ask(other, data)).status).toBe(404)
    }
    expect(await counts()).toEqual(before)
  })

  it('is refused to a company whose license has ended', async () => {
    const ended = await createCompany(backend)
    const late = await signedIn('Admin', ended)
    const { data } = await command(late, await createDevices(ended, 1))
    await failRuns(data, 'failed', 1)
    await backend.sql(
      `update public.companies set license_end_date = now() - interval '1 second' where id = $1`,
      [ended],
    )
    for (const ask of [retry, preview]) expect((await ask(late, data)).error?.hint).toBe('read-only')
  })

  it('needs the permission for what the task does', async () => {
    const { data } = await admin.rpc('run_task', { task: 'reboot', device_ids: await createDevices(acme, 1) })
    await failRuns(data, 'failed', 1)
    expect((await preview(teknik, data)).data).toMatchObject({ failed: { devices: 1 } })
    expect((await preview(standard, data)).error?.code).toBe('42501')
  })
})

describe('saved commands', () => {
  it('are the company’s: read and written by those who may, by nobody else', async () => {
    const row = { company_id: acme, name: 'Uptime', type: 'Bash', command: 'uptime', timeout_seconds: 60 }
    const { error } = await admin.from('saved_commands').insert(row)
    expect(error).toBeNull()
    const seen = async (client: Client) =>
      (await client.from('saved_commands').select('name').eq('name', 'Uptime')).data
    expect(await seen(teknik)).toEqual([{ name: 'Uptime' }])
    for (const client of [other, standard]) expect(await seen(client)).toEqual([])
    expect((await other.from('saved_commands').insert({ ...row, name: 'Theirs' })).error?.code).toBe('42501')
    // A name is the same command's, however it is written.
    expect((await admin.from('saved_commands').insert({ ...row, name: 'UPTİME' })).error?.code).toBe('23505')
  })
})
