import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { fleetOf, result, runIds } from '../support/agent-functions-fleet'
import { acme, admin, backend, globex, openDesk, other, standard, teknik } from '../support/job-desk'

openDesk()
let fleet: ReturnType<typeof fleetOf>
beforeAll(() => {
  fleet = fleetOf(backend, acme)
})

const waiting = (id: string) =>
  backend.sql<{ open: boolean }>('select app.has_terminal($1) as open', [id]).then(([row]) => row?.open)

it('a terminal is open for half a minute after its page last said so', async () => {
  const device = await fleet.enroll()
  expect((await fleet.checkIn(device)).body.terminal).toBeUndefined()
  await teknik.rpc('keep_terminal', { device_id: device.device_id }).throwOnError()
  const answer = await fleet.checkIn(device)
  expect(answer.body).toMatchObject({ terminal: true, interval: 1 })
  // The device counts as online as long as any other.
  expect(
    await backend.sql('select interval_seconds from public.device_presence where device_id = $1', [
      device.device_id,
    ]),
  ).not.toEqual([{ interval_seconds: 1 }])
  await backend.sql(`update app.terminals set open_until = now() where device_id = $1`, [device.device_id])
  expect((await fleet.checkIn(device)).body.terminal).toBeUndefined()
})

it('nobody opens or uses the terminal of a device that is not theirs, or without the right to run commands', async () => {
  const device = await fleet.enroll()
  const command = { device_id: device.device_id, session: randomUUID(), type: 'Bash', command: 'id' }
  for (const [client, code] of [
    [other, 'PT404'],
    [standard, '42501'],
    [await backend.client(), '42501'],
  ] as const) {
    expect((await client.rpc('keep_terminal', { device_id: device.device_id })).error?.code).toBe(code)
    expect((await client.rpc('run_in_terminal', command)).error?.code).toBe(code)
  }
  expect(await waiting(device.device_id)).toBe(false)
  expect(runIds(await fleet.checkIn(device))).toEqual([])
  expect((await admin.from('terminals').select()).error).not.toBeNull()
  expect((await admin.rpc('run_in_terminal', { ...command, session: null })).error?.hint).toBe(
    'session_missing',
  )
})

it('a command of a terminal brings its session, any other run of the device does not', async () => {
  const device = await fleet.enroll()
  const session = randomUUID()
  await teknik.rpc('keep_terminal', { device_id: device.device_id }).throwOnError()
  await teknik
    .rpc('run_in_terminal', { device_id: device.device_id, session, type: 'Bash', command: 'pwd' })
    .throwOnError()
  await fleet.queueRun(acme, device.device_id, 'echo other')
  const { body } = await fleet.checkIn(device)
  const runs = body.runs as { script: string; terminal?: string }[]
  expect(runs.map(({ script, terminal }) => [script, terminal])).toEqual([
    ['pwd', session],
    ['echo other', undefined],
  ])
})

it('a check-in that waits is answered when a run is queued, and at once when there is something to do', async () => {
  const device = await fleet.enroll()
  await fleet.checkIn(device, { inventory: {} })
  await teknik.rpc('keep_terminal', { device_id: device.device_id }).throwOnError()
  const started = performance.now()
  const held = fleet.checkIn(device, { wait: true })
  await new Promise((done) => setTimeout(done, 300))
  const runId = await fleet.queueRun(acme, device.device_id)
  const answer = await held
  expect(runIds(answer)).toEqual([runId])
  expect(answer.body.held).toBe(true)
  expect(performance.now() - started).toBeGreaterThan(290)
  expect(performance.now() - started).toBeLessThan(4_000)
  await fleet.report(device, [result(runId)])

  const next = await fleet.queueRun(acme, device.device_id)
  expect(runIds(await fleet.checkIn(device, { wait: true }))).toEqual([next])
})

it('a check-in waits only where a terminal is open, and a run of another device does not end it', async () => {
  const [device, second] = [await fleet.enroll(), await fleet.enroll()]
  await fleet.checkIn(device, { inventory: {} })
  const without = await fleet.checkIn(device, { wait: true })
  expect(without.body).not.toHaveProperty('terminal')
  await teknik.rpc('keep_terminal', { device_id: device.device_id }).throwOnError()
  const started = performance.now()
  const held = fleet.checkIn(device, { wait: true })
  await new Promise((done) => setTimeout(done, 100))
  await fleet.queueRun(acme, second.device_id)
  expect((await held).body).toMatchObject({ runs: [], held: true, terminal: true })
  expect(performance.now() - started).toBeGreaterThan(4_500)
})

it('a device that went away while it waited gets no run', async () => {
  const device = await fleet.enroll()
  await fleet.checkIn(device, { inventory: {} })
  await teknik.rpc('keep_terminal', { device_id: device.device_id }).throwOnError()
  const gone = new AbortController()
  const held = fetch(`${backend.url}/rest/v1/rpc/agent_check_in`, {
    method: 'POST',
    headers: { apikey: backend.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      payload: {
        ...device,
        wait: true,
        metrics: {},
        inventory_hash: 'h1',
        running: [],
        agent_version: '1.0',
      },
    }),
    signal: gone.signal,
  }).catch(() => null)
  await new Promise((done) => setTimeout(done, 300))
  gone.abort()
  await held
  await new Promise((done) => setTimeout(done, 200))
  const runId = await fleet.queueRun(acme, device.device_id)
  expect(await fleet.run(runId)).toMatchObject({ status: 'queued' })
  expect(runIds(await fleet.checkIn(device))).toEqual([runId])
})

it('removing a device closes its terminals', async () => {
  const device = await fleet.enroll(globex)
  await other.rpc('keep_terminal', { device_id: device.device_id }).throwOnError()
  await backend.sql('delete from public.devices where id = $1', [device.device_id])
  expect(await backend.sql('select 1 from app.terminals where device_id = $1', [device.device_id])).toEqual(
    [],
  )
})
