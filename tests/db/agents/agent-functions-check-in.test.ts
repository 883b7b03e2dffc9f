import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { sharedBackend, type TestBackend } from '../../support/backend'
import { fleetOf, result, runIds } from '../support/agent-functions-fleet'

let backend: TestBackend
let company: string
let fleet: ReturnType<typeof fleetOf>
beforeAll(async () => {
  backend = await sharedBackend()
  company = await createCompany(backend)
  fleet = fleetOf(backend, company)
})
afterAll(() => backend.stop())

describe('agent_check_in', () => {
  it('asks for the inventory until it has the one with this hash', async () => {
    const device = await fleet.enroll()
    expect((await fleet.checkIn(device)).body.send_inventory).toBe(true)
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
    const answer = await fleet.checkIn(device, { inventory })
    expect(answer.status).toBe(200)
    expect(answer.body.send_inventory).toBeUndefined()
    expect((await fleet.checkIn(device)).body.send_inventory).toBeUndefined()
    expect((await fleet.checkIn(device, { inventory_hash: 'h2' })).body.send_inventory).toBe(true)
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
    const device = await fleet.enroll()
    await fleet.checkIn(device, { metrics: { cpu: 12.5, memory: 300, disk: 'full' } })
    const wide = () =>
      backend.sql('select xmin::text as x, status from public.devices where id = $1', [device.device_id])
    const before = await wide()
    await fleet.checkIn(device)
    expect(await wide()).toEqual(before)
    await fleet.checkIn(device, { metrics: { cpu: 12.5, memory: 300, disk: 'full' } })
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
    await fleet.checkIn(device)
    expect(
      await backend.sql('select status, offline_since from public.devices where id = $1', [device.device_id]),
    ).toEqual([{ status: 'online', offline_since: null }])
  })

  it('marks a device whose machine is another than the one enrolled', async () => {
    const machine = randomUUID()
    const device = await fleet.enroll(company, { machine_id: machine })
    await fleet.checkIn(device, { machine_id: machine })
    const flag = () =>
      backend.sql('select clone_suspected from public.devices where id = $1', [device.device_id])
    expect(await flag()).toEqual([{ clone_suspected: false }])
    await fleet.checkIn(device, { machine_id: randomUUID() })
    expect(await flag()).toEqual([{ clone_suspected: true }])
  })

  it('says how soon to come again: the fleet sets the pace, a recent job the shortest', async () => {
    const device = await fleet.enroll()
    await backend.sql(`update app.fleet set devices = 90000, counted_at = now() where only_row`)
    expect((await fleet.checkIn(device)).body.interval).toBe(300)
    await backend.sql(`update app.fleet set devices = 9000000, counted_at = now() where only_row`)
    expect((await fleet.checkIn(device)).body.interval).toBe(600)
    await fleet.queueRun(company, device.device_id)
    expect((await fleet.checkIn(device)).body.interval).toBe(5)
    await backend.sql(`update app.fleet set counted_at = '-infinity' where only_row`)
    expect((await fleet.checkIn(device)).body.interval).toBe(5)
    const [counted] = await backend.sql(
      'select devices = (select count(*) from public.device_presence) as counted from app.fleet',
    )
    expect(counted).toEqual({ counted: true })
  })

  it('offers a run once, to its device alone, at most four at a time, and not past its expiry', async () => {
    const device = await fleet.enroll()
    const neighbor = await fleet.enroll()
    const runs = []
    for (let i = 0; i < 6; i++) runs.push(await fleet.queueRun(company, device.device_id, `echo ${i}`))
    const expired = await fleet.queueRun(company, device.device_id)
    await backend.sql(
      `update public.jobs set expires_at = now() - interval '1 second' where id = (select job_id from public.job_runs where id = $1)`,
      [expired],
    )
    expect(runIds(await fleet.checkIn(neighbor))).toEqual([])
    const first = await fleet.checkIn(device)
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
    expect(runIds(await fleet.checkIn(device, { running: runs.slice(0, 4) }))).toEqual([])
    expect(runIds(await fleet.checkIn(device, { running: runs.slice(0, 2) }))).toEqual(runs.slice(4))
    expect(runIds(await fleet.checkIn(device, { running: runs.slice(0, 2) }))).toEqual([])
  })

  it('offers the same attempt again when the lease lapsed, unless the device says it is at it', async () => {
    const { device, runId } = await fleet.claimed()
    const lapse = () =>
      backend.sql(`update public.job_runs set lease_until = now() - interval '1 second' where id = $1`, [
        runId,
      ])
    await lapse()
    expect(runIds(await fleet.checkIn(device, { running: [runId] }))).toEqual([])
    expect(await fleet.run(runId)).toMatchObject({ status: 'claimed', leased: true })
    await lapse()
    const again = await fleet.checkIn(device)
    expect(again.body.runs).toMatchObject([{ run_id: runId, attempt: 1 }])
  })

  it('tells the device to stop runs that were canceled or deleted, or that belong to another device', async () => {
    const { device, runId } = await fleet.claimed()
    const foreign = await fleet.claimed()
    const gone = randomUUID()
    expect((await fleet.checkIn(device, { running: [runId] })).body.cancel).toEqual([])
    await backend.sql('select app.cancel_runs($1, array[$2::uuid])', [company, runId])
    const { body } = await fleet.checkIn(device, { running: [runId, foreign.runId, gone, 'no uuid', 7] })
    expect([...(body.cancel as string[])].sort()).toEqual([runId, foreign.runId, gone].sort())
    expect(await fleet.run(foreign.runId)).toMatchObject({ status: 'claimed' })
  })

  it('holds queued work back while the license has ended, but not a Super Admin’s, nor results', async () => {
    const { device, runId } = await fleet.claimed(await createCompany(backend))
    const [row] = await backend.sql<{ company_id: string }>(
      'select company_id from public.job_runs where id = $1',
      [runId],
    )
    const owner = row?.company_id ?? ''
    const waiting = await fleet.queueRun(owner, device.device_id)
    await backend.sql(
      `update public.companies set license_end_date = now() - interval '1 second' where id = $1`,
      [owner],
    )
    expect(runIds(await fleet.checkIn(device, { running: [runId] }))).toEqual([])
    expect((await fleet.report(device, [result(runId)])).body.accepted).toEqual([runId])
    const { id } = await createAccount(backend, 'Super Admin', null)
    await backend.sql(
      'update public.jobs set created_by = $2 where id = (select job_id from public.job_runs where id = $1)',
      [waiting, id],
    )
    expect(runIds(await fleet.checkIn(device))).toEqual([waiting])
  })

  it('refuses more than 64 running entries, and a payload that is no object or too large', async () => {
    const device = await fleet.enroll()
    const many = Array.from({ length: 65 }, () => randomUUID())
    expect((await fleet.checkIn(device, { running: many })).status).toBe(413)
    expect((await fleet.checkIn(device, { running: many.slice(1) })).status).toBe(200)
    expect((await fleet.checkIn(device, { running: 'all' })).status).toBe(400)
    expect((await fleet.call('agent_check_in', 'text')).status).toBe(400)
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
    const device = await fleet.enroll()
    const text = JSON.stringify({ ...device, inventory_hash: 'h1', running: [] })
    const [row] = await backend.sql<{ answer: Record<string, unknown> }>(
      'select public.agent_check_in(to_jsonb($1::text)) as answer',
      [text],
    )
    expect(row?.answer.runs).toEqual([])
  })
})
