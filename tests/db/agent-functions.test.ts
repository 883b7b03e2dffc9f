import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../support/accounts'
import { type TestBackend, testBackend } from '../support/backend'

let backend: TestBackend
let company: string
beforeAll(async () => {
  backend = await testBackend({ demo: false })
  company = await createCompany(backend)
})
afterAll(() => backend.stop())

type Name = 'agent_enroll' | 'agent_check_in' | 'agent_report'

interface Answer {
  status: number
  body: Record<string, unknown>
}

async function call(name: Name, payload: unknown): Promise<Answer> {
  const response = await fetch(`${backend.url}/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: { apikey: backend.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ payload }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function idOf(query: string, params: readonly unknown[]): Promise<string> {
  const [row] = await backend.sql<{ id: string }>(query, params)
  if (!row) throw new Error(`No row: ${query}`)
  return row.id
}

async function createToken(owner = company, more = ''): Promise<string> {
  const token = randomBytes(32).toString('hex')
  const id = await idOf(
    `insert into public.enrollment_tokens (company_id, name, hint ${more ? ', max_uses' : ''})
     values ($1, 'Test', 'test' ${more ? `, ${more}` : ''}) returning id`,
    [owner],
  )
  await backend.sql('insert into app.enrollment_secrets values ($1, app.hash_secret($2))', [id, token])
  return token
}

interface Device {
  device_id: string
  secret: string
}

async function enrol(owner = company, more: Record<string, unknown> = {}): Promise<Device> {
  const { status, body } = await call('agent_enroll', {
    token: await createToken(owner),
    machine_id: randomUUID(),
    hostname: 'pc-1',
    platform: 'linux',
    agent_version: '1.0',
    ...more,
  })
  expect(status).toBe(200)
  return { device_id: String(body.device_id), secret: String(body.secret) }
}

const checkIn = (device: Device, more: Record<string, unknown> = {}) =>
  call('agent_check_in', {
    ...device,
    metrics: {},
    inventory_hash: 'h1',
    running: [],
    agent_version: '1.0',
    ...more,
  })

async function queueRun(owner: string, deviceId: string, script = 'echo hello'): Promise<string> {
  const job = await idOf(
    `insert into public.jobs (company_id, kind, name, script_type, script, script_sha256, timeout_seconds, expires_at, total)
     values ($1, 'procedure', 'Greet', 'Bash', $2, encode(sha256(convert_to($2, 'UTF8')), 'hex'), 60, now() + interval '1 day', 1)
     returning id`,
    [owner, script],
  )
  return idOf(
    'insert into public.job_runs (company_id, job_id, device_id) values ($1, $2, $3) returning id',
    [owner, job, deviceId],
  )
}

const runIds = (answer: Answer) => (answer.body.runs as { run_id: string }[]).map(({ run_id }) => run_id)

async function claimed(owner = company): Promise<{ device: Device; runId: string }> {
  const device = await enrol(owner)
  const runId = await queueRun(owner, device.device_id)
  expect(runIds(await checkIn(device))).toEqual([runId])
  return { device, runId }
}

const report = (device: Device, results: unknown) => call('agent_report', { ...device, results })

const result = (runId: string, more: Record<string, unknown> = {}) => ({
  run_id: runId,
  attempt: 1,
  state: 'succeeded',
  exit_code: 0,
  output: 'hello\n',
  truncated: false,
  ...more,
})

const run = async (id: string) =>
  (
    await backend.sql<Record<string, unknown>>(
      `select status, attempt, exit_code, output, output_truncated, error, lease_until > now() as leased from public.job_runs where id = $1`,
      [id],
    )
  ).at(0)

describe('credentials', () => {
  it('that are wrong, unknown or malformed get one and the same answer, from all of which nothing is written', async () => {
    const device = await enrol()
    const other = await enrol()
    const before = await backend.sql(
      'select count(*)::int as n, max(updated_at) as at from public.device_presence',
    )
    const attempts = [
      { ...device, secret: other.secret },
      { ...device, secret: '' },
      { ...device, secret: null },
      { ...device, secret: 'x'.repeat(100_000) },
      { ...device, device_id: randomUUID() },
      { ...device, device_id: 'no uuid' },
      { ...device, device_id: { a: 1 } },
      { secret: device.secret },
      {},
    ]
    const answers = await Promise.all([
      ...attempts.map((attempt) => call('agent_check_in', { ...attempt, running: 'not even a list' })),
      ...attempts.map((attempt) => call('agent_report', attempt)),
    ])
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect(answer.body).toEqual(answers[0]?.body)
    }
    expect(
      await backend.sql('select count(*)::int as n, max(updated_at) as at from public.device_presence'),
    ).toEqual(before)
  })

  it('reach nothing but their own calls: no table, no other function', async () => {
    const device = await enrol()
    const client = await backend.client()
    for (const table of ['devices', 'job_runs', 'jobs', 'device_presence', 'enrollment_tokens'])
      expect((await client.from(table).select('*')).data ?? []).toEqual([])
    expect(
      (await client.rpc('run_procedure', { procedure_id: randomUUID(), device_ids: [device.device_id] }))
        .error?.code,
    ).toBe('42501')
  })

  it('stop working when the device is removed', async () => {
    const device = await enrol()
    await backend.sql('delete from public.devices where id = $1', [device.device_id])
    expect((await checkIn(device)).status).toBe(401)
  })

  it('do not lend a signed-in person the agent’s functions', async () => {
    const [row] = await backend.sql(
      `select has_function_privilege('authenticated', 'public.agent_check_in(jsonb)', 'execute') as may`,
    )
    expect(row).toEqual({ may: false })
  })
})

describe('agent_enroll', () => {
  it.each([
    ['no machine id', { machine_id: null }],
    ['a short machine id', { machine_id: 'abc' }],
    ['no host name', { hostname: '' }],
    ['an unknown platform', { platform: 'beos' }],
  ])('with %s is malformed, and uses nothing of the token', async (_what, more) => {
    const token = await createToken(company, '1')
    const payload = {
      token,
      machine_id: randomUUID(),
      hostname: 'pc',
      platform: 'linux',
      agent_version: '1',
      ...more,
    }
    expect((await call('agent_enroll', payload)).status).toBe(400)
    expect(
      (
        await call('agent_enroll', {
          ...payload,
          machine_id: randomUUID(),
          hostname: 'pc',
          platform: 'linux',
        })
      ).status,
    ).toBe(200)
  })

  it('lets a token for one use in once, also when ten come at the same time', async () => {
    const token = await createToken(company, '1')
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        call('agent_enroll', {
          token,
          machine_id: randomUUID(),
          hostname: 'pc',
          platform: 'linux',
          agent_version: '1',
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.message))).toEqual(
      new Set(['The enrolment token is not valid.']),
    )
  })

  it('takes the company from the token, whatever the agent says', async () => {
    const other = await createCompany(backend)
    const device = await enrol(company, { company_id: other, group_id: randomUUID() })
    expect(
      await backend.sql('select company_id from public.devices where id = $1', [device.device_id]),
    ).toEqual([{ company_id: company }])
  })

  it('of a copy of a machine that is online makes a device of its own, and marks both', async () => {
    const machine = randomUUID()
    const first = await enrol(company, { machine_id: machine, hostname: 'original' })
    await checkIn(first)
    const second = await enrol(company, { machine_id: machine, hostname: 'copy' })
    expect(second.device_id).not.toBe(first.device_id)
    expect((await checkIn(first)).status).toBe(200)
    expect(
      await backend.sql(
        'select hostname, clone_suspected from public.devices where machine_id = $1 order by hostname',
        [machine],
      ),
    ).toEqual([
      { hostname: 'copy', clone_suspected: true },
      { hostname: 'original', clone_suspected: true },
    ])
  })

  it('does not join machines of two companies', async () => {
    const machine = randomUUID()
    const other = await createCompany(backend)
    const ours = await enrol(company, { machine_id: machine })
    const theirs = await enrol(other, { machine_id: machine })
    expect(theirs.device_id).not.toBe(ours.device_id)
    expect((await checkIn(ours)).status).toBe(200)
  })
})

describe('agent_check_in', () => {
  it('asks for the inventory until it has the one with this hash', async () => {
    const device = await enrol()
    expect((await checkIn(device)).body.send_inventory).toBe(true)
    const inventory = {
      hostname: 'pc-renamed',
      os: 'Ubuntu',
      os_version: '24.04 LTS',
      memory_mb: 8192.4,
      cpu_cores: '4',
      disks: [{ mount: '/' }],
      network: 'eth0',
      boot_time: '2026-02-31T10:00:00Z',
      reboot_required: true,
      software: [
        {
          name: 'curl',
          version: '8.5',
          publisher: 'Ubuntu Developers',
          install_date: '2026-01-02',
          size_mb: 0.5,
        },
        { name: 'curl', version: '8.5', publisher: 'Ubuntu Developers' },
        { name: '', version: '1' },
        'nonsense',
      ],
    }
    const answer = await checkIn(device, { inventory })
    expect(answer.status).toBe(200)
    expect(answer.body.send_inventory).toBeUndefined()
    expect((await checkIn(device)).body.send_inventory).toBeUndefined()
    expect((await checkIn(device, { inventory_hash: 'h2' })).body.send_inventory).toBe(true)
    expect(
      await backend.sql(
        `select name, hostname, os, os_version, memory_mb, cpu_cores, disks, network, reboot_required from public.devices where id = $1`,
        [device.device_id],
      ),
    ).toEqual([
      {
        name: 'pc-renamed',
        hostname: 'pc-renamed',
        os: 'Ubuntu',
        os_version: '24.04 LTS',
        memory_mb: 8192,
        cpu_cores: null,
        disks: [{ mount: '/' }],
        network: [],
        reboot_required: true,
      },
    ])
    expect(
      await backend.sql(
        'select s.name, d.version from public.device_software d join public.software s on s.id = d.software_id where d.device_id = $1',
        [device.device_id],
      ),
    ).toEqual([{ name: 'curl', version: '8.5' }])
  })

  it('leaves the wide row alone while nothing changes, and brings a silent device back', async () => {
    const device = await enrol()
    await checkIn(device, { metrics: { cpu: 12.5, memory: 300, disk: 'full' } })
    const wide = () =>
      backend.sql('select xmin::text as x, status from public.devices where id = $1', [device.device_id])
    const before = await wide()
    await checkIn(device)
    expect(await wide()).toEqual(before)
    await checkIn(device, { metrics: { cpu: 12.5, memory: 300, disk: 'full' } })
    expect(
      await backend.sql(
        'select cpu_percent, memory_percent, disk_percent, online from public.device_presence where device_id = $1',
        [device.device_id],
      ),
    ).toEqual([{ cpu_percent: 12.5, memory_percent: 100, disk_percent: null, online: true }])
    await backend.sql(`update public.devices set status = 'offline', offline_since = now() where id = $1`, [
      device.device_id,
    ])
    await backend.sql('update public.device_presence set online = false where device_id = $1', [
      device.device_id,
    ])
    await checkIn(device)
    expect(
      await backend.sql('select status, offline_since from public.devices where id = $1', [device.device_id]),
    ).toEqual([{ status: 'online', offline_since: null }])
  })

  it('marks a device whose machine is another than the one enrolled', async () => {
    const machine = randomUUID()
    const device = await enrol(company, { machine_id: machine })
    await checkIn(device, { machine_id: machine })
    const flag = () =>
      backend.sql('select clone_suspected from public.devices where id = $1', [device.device_id])
    expect(await flag()).toEqual([{ clone_suspected: false }])
    await checkIn(device, { machine_id: randomUUID() })
    expect(await flag()).toEqual([{ clone_suspected: true }])
  })

  it('says how soon to come again: the fleet sets the pace, a recent job the shortest', async () => {
    const device = await enrol()
    await backend.sql(`update app.fleet set devices = 90000, counted_at = now() where only_row`)
    expect((await checkIn(device)).body.interval).toBe(300)
    await backend.sql(`update app.fleet set devices = 9000000, counted_at = now() where only_row`)
    expect((await checkIn(device)).body.interval).toBe(600)
    await queueRun(company, device.device_id)
    expect((await checkIn(device)).body.interval).toBe(5)
    await backend.sql(`update app.fleet set counted_at = '-infinity' where only_row`)
    expect((await checkIn(device)).body.interval).toBe(5)
    const [fleet] = await backend.sql(
      'select devices = (select count(*) from public.device_presence) as counted from app.fleet',
    )
    expect(fleet).toEqual({ counted: true })
  })

  it('offers a run once, to its device alone, at most four at a time, and not past its expiry', async () => {
    const device = await enrol()
    const neighbour = await enrol()
    const runs = []
    for (let i = 0; i < 6; i++) runs.push(await queueRun(company, device.device_id, `echo ${i}`))
    const expired = await queueRun(company, device.device_id)
    await backend.sql(
      `update public.jobs set expires_at = now() - interval '1 second' where id = (select job_id from public.job_runs where id = $1)`,
      [expired],
    )
    expect(runIds(await checkIn(neighbour))).toEqual([])
    const first = await checkIn(device)
    expect(runIds(first)).toEqual(runs.slice(0, 4))
    expect((first.body.runs as unknown[])[0]).toEqual({
      run_id: runs[0],
      attempt: 1,
      type: 'Bash',
      script: 'echo 0',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      parameters: {},
      timeout_seconds: 60,
      secrets: [],
    })
    expect(runIds(await checkIn(device, { running: runs.slice(0, 4) }))).toEqual([])
    expect(runIds(await checkIn(device, { running: runs.slice(0, 2) }))).toEqual(runs.slice(4))
    expect(runIds(await checkIn(device, { running: runs.slice(0, 2) }))).toEqual([])
  })

  it('offers the same attempt again when the lease lapsed, unless the device says it is at it', async () => {
    const { device, runId } = await claimed()
    const lapse = () =>
      backend.sql(`update public.job_runs set lease_until = now() - interval '1 second' where id = $1`, [
        runId,
      ])
    await lapse()
    expect(runIds(await checkIn(device, { running: [runId] }))).toEqual([])
    expect(await run(runId)).toMatchObject({ status: 'claimed', leased: true })
    await lapse()
    const again = await checkIn(device)
    expect(again.body.runs).toMatchObject([{ run_id: runId, attempt: 1 }])
  })

  it('tells the device to stop what was cancelled, deleted, or never its own', async () => {
    const { device, runId } = await claimed()
    const foreign = await claimed()
    const gone = randomUUID()
    expect((await checkIn(device, { running: [runId] })).body.cancel).toEqual([])
    await backend.sql('select app.cancel_runs($1, array[$2::uuid])', [company, runId])
    const { body } = await checkIn(device, { running: [runId, foreign.runId, gone, 'no uuid', 7] })
    expect([...(body.cancel as string[])].sort()).toEqual([runId, foreign.runId, gone].sort())
    expect(await run(foreign.runId)).toMatchObject({ status: 'claimed' })
  })

  it('holds queued work back while the licence has ended, but not a Super Admin’s, nor results', async () => {
    const { device, runId } = await claimed(await createCompany(backend))
    const [row] = await backend.sql<{ company_id: string }>(
      'select company_id from public.job_runs where id = $1',
      [runId],
    )
    const owner = row?.company_id ?? ''
    const waiting = await queueRun(owner, device.device_id)
    await backend.sql(
      `update public.companies set license_end_date = now() - interval '1 second' where id = $1`,
      [owner],
    )
    expect(runIds(await checkIn(device, { running: [runId] }))).toEqual([])
    expect((await report(device, [result(runId)])).body.accepted).toEqual([runId])
    const { id } = await createAccount(backend, 'Super Admin', null)
    await backend.sql(
      'update public.jobs set created_by = $2 where id = (select job_id from public.job_runs where id = $1)',
      [waiting, id],
    )
    expect(runIds(await checkIn(device))).toEqual([waiting])
  })

  it('refuses more than 64 running entries, and a payload that is no object or too large', async () => {
    const device = await enrol()
    const many = Array.from({ length: 65 }, () => randomUUID())
    expect((await checkIn(device, { running: many })).status).toBe(413)
    expect((await checkIn(device, { running: many.slice(1) })).status).toBe(200)
    expect((await checkIn(device, { running: 'all' })).status).toBe(400)
    expect((await checkIn(device, { inventory: [] })).status).toBe(400)
    const software = Array.from({ length: 5001 }, (_, i) => ({ name: `p${i}`, version: '1' }))
    expect((await checkIn(device, { inventory: { software } })).status).toBe(413)
    expect((await call('agent_check_in', 'text')).status).toBe(400)
    await expect(backend.sql(`select public.agent_check_in('[]'::jsonb)`)).rejects.toMatchObject({
      code: 'PT400',
    })
    await expect(
      backend.sql(
        `select public.agent_enroll(jsonb_build_object('token', (select string_agg(gen_random_uuid()::text, '') from generate_series(1, 1000))))`,
      ),
    ).rejects.toMatchObject({ code: 'PT413' })
  })

  it('takes an object handed over as its text, as one of the drivers does', async () => {
    const device = await enrol()
    const text = JSON.stringify({ ...device, inventory_hash: 'h1', running: [] })
    const [row] = await backend.sql<{ answer: Record<string, unknown> }>(
      'select public.agent_check_in(to_jsonb($1::text)) as answer',
      [text],
    )
    expect(row?.answer.runs).toEqual([])
  })
})

describe('agent_report', () => {
  it('moves a run from claimed to running to its end, and answers a replay without changing anything', async () => {
    const { device, runId } = await claimed()
    expect((await report(device, [{ run_id: runId, attempt: 1, state: 'running' }])).body).toEqual({
      accepted: [runId],
      refused: [],
    })
    expect(await run(runId)).toMatchObject({ status: 'running', leased: true, output: null })
    expect((await report(device, [result(runId)])).body.accepted).toEqual([runId])
    const after = await run(runId)
    expect(after).toMatchObject({ status: 'succeeded', exit_code: 0, output: 'hello\n', error: null })
    const replay = await report(device, [result(runId, { state: 'failed', exit_code: 1, output: 'changed' })])
    expect(replay.body).toEqual({ accepted: [], refused: [{ run_id: runId, reason: 'result_exists' }] })
    expect(await run(runId)).toEqual(after)
    expect(
      await backend.sql('select status from public.procedure_logs where job_run_id = $1', [runId]),
    ).toEqual([{ status: 'success' }])
  })

  it('refuses a run of another device, company or nobody alike, and an attempt that was never made', async () => {
    const mine = await claimed()
    const neighbour = await claimed()
    const stranger = await claimed(await createCompany(backend))
    const queued = await queueRun(company, mine.device.device_id)
    const nothing = randomUUID()
    const { body } = await report(mine.device, [
      result(neighbour.runId),
      result(stranger.runId),
      result(nothing),
      result('no uuid'),
      result(mine.runId, { attempt: 2 }),
      result(queued, { attempt: 0 }),
      result(mine.runId, { attempt: 1, state: 'exploded' }),
      'nonsense',
    ])
    expect(body).toEqual({
      accepted: [],
      refused: [
        { run_id: neighbour.runId, reason: 'not_found' },
        { run_id: stranger.runId, reason: 'not_found' },
        { run_id: nothing, reason: 'not_found' },
        { run_id: 'no uuid', reason: 'not_found' },
        { run_id: mine.runId, reason: 'unknown_attempt' },
        { run_id: queued, reason: 'unknown_attempt' },
        { run_id: mine.runId, reason: 'unknown_state' },
      ],
    })
    for (const id of [mine.runId, neighbour.runId, stranger.runId])
      expect(await run(id)).toMatchObject({ status: 'claimed', output: null })
  })

  it('takes a late result of a run that was given up, and puts the counters right', async () => {
    const { device, runId } = await claimed()
    await backend.sql(
      `update public.job_runs set lease_until = now() - interval '1 day', claimed_at = now() - interval '1 day' where id = $1`,
      [runId],
    )
    await backend.sql(
      `update public.jobs set expires_at = now() - interval '1 hour' where id = (select job_id from public.job_runs where id = $1)`,
      [runId],
    )
    await backend.sql('select app.expire_runs()')
    const counts = () =>
      backend.sql(
        'select j.status, j.succeeded, j.failed from public.jobs j join public.job_runs r on r.job_id = j.id where r.id = $1',
        [runId],
      )
    expect(await counts()).toEqual([{ status: 'finished', succeeded: 0, failed: 1 }])
    expect((await report(device, [{ run_id: runId, attempt: 1, state: 'running' }])).body.refused).toEqual([
      { run_id: runId, reason: 'not_open' },
    ])
    expect((await report(device, [result(runId)])).body.accepted).toEqual([runId])
    expect(await run(runId)).toMatchObject({ status: 'succeeded', error: null })
    expect(await counts()).toEqual([{ status: 'finished', succeeded: 1, failed: 0 }])
  })

  it.each([
    ['failed', 'failed', null],
    ['timed_out', 'timed_out', 'timed_out'],
    ['interrupted', 'failed', 'interrupted'],
    ['cancelled', 'cancelled', 'cancelled'],
    ['refused', 'failed', 'refused'],
  ])('writes %s as %s with the error %s', async (state, status, error) => {
    const { device, runId } = await claimed()
    await report(device, [result(runId, { state, exit_code: null })])
    expect(await run(runId)).toMatchObject({ status, error, exit_code: null })
  })

  it('cuts output to 64 kB between characters, and believes no type', async () => {
    const { device, runId } = await claimed()
    await report(device, [
      result(runId, {
        output: `a${'ş'.repeat(40_000)}`,
        exit_code: 99_999_999_999,
        truncated: 'no',
        started_at: 5,
      }),
    ])
    const written = await run(runId)
    expect(written).toMatchObject({ output_truncated: true, exit_code: 2_147_483_647 })
    expect(written?.output).toBe(`a${'ş'.repeat(32_767)}`)
    const second = await claimed()
    await report(second.device, [result(second.runId, { output: { a: 1 }, exit_code: 'one' })])
    expect(await run(second.runId)).toMatchObject({ output: null, exit_code: null, output_truncated: false })
  })

  it('takes 64 results at once and no more, and of two for one run the one that ended it', async () => {
    const { device, runId } = await claimed()
    const many = Array.from({ length: 65 }, () => result(randomUUID()))
    expect((await report(device, many)).status).toBe(413)
    expect((await report(device, many.slice(1))).status).toBe(200)
    expect((await report(device, 'none')).status).toBe(400)
    await report(device, [
      { run_id: runId, attempt: 1, state: 'running' },
      result(runId),
      result(runId, { output: 'second' }),
    ])
    expect(await run(runId)).toMatchObject({ status: 'succeeded', output: 'hello\n' })
  })

  it('reckons with the server’s clock, whatever the device’s says', async () => {
    const { device, runId } = await claimed()
    await report(device, [
      result(runId, { started_at: '1999-01-01T00:00:00.000Z', finished_at: '1999-01-01T00:00:09.000Z' }),
    ])
    const [times] = await backend.sql(
      `select finished_at > now() - interval '1 minute' as now, started_at >= claimed_at as after_claim, started_at <= finished_at as in_order
       from public.job_runs where id = $1`,
      [runId],
    )
    expect(times).toEqual({ now: true, after_claim: true, in_order: true })
  })
})
