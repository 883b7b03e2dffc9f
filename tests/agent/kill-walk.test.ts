import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createApi } from '../../agent/api'
import { enroll } from '../../agent/enroll'
import { thisPlatform } from '../../agent/inventory/platform'
import type { TestBackend } from '../support/backend'
import { patience } from '../support/patience'
import { type ServerProcess, startServerProcess } from '../support/server-process'
import { createToken, endOf, one, queueRun, readRun } from './support/console'
import { createGate, type Gate } from './support/gate'
import { Machine, type RunningAgent, stopMachines, until } from './support/machine'
import { withPython } from './support/site'

/** A device whose run is brought to one point. */
interface Walker {
  step: string
  gate: Gate
  machine: Machine
  runId: string
  agent?: RunningAgent
  file: (name: string) => string
}

/** Called before the agent starts; resolves when the run is at its point, and keeps it there. */
type Step = (walker: Walker) => Promise<unknown>

const ENDED = ['succeeded', 'failed', 'timed_out', 'cancelled', 'interrupted', 'refused']
const reports =
  (...states: string[]) =>
  ({ payload }: Record<string, unknown>): boolean =>
    (payload as { results: { state: string }[] }).results.some(({ state }) => states.includes(state))
const hasRuns = (_: unknown, { runs }: Record<string, unknown>) => Array.isArray(runs) && runs.length > 0
const go = ({ file }: Walker) => writeFileSync(file('go'), '')
const isRunning = ({ file }: Walker) => until('the script runs', () => existsSync(file('starts')))

const STEPS: Record<string, Step> = {
  'the device asks for work': ({ gate }) => gate.hold('agent_check_in', 'request'),
  'the server has given the run away, and the device does not have it': ({ gate }) =>
    gate.hold('agent_check_in', 'response', hasRuns),
  'the journal says that the run has begun': ({ machine, runId }) =>
    until('it is in the journal', () => existsSync(join(machine.dataDir, 'runs', `${runId}.json`))),
  'the supervisor has claimed the run': ({ machine, runId }) =>
    until('it is claimed', () => existsSync(join(machine.dataDir, 'work', runId, 'claim'))),
  'the device is about to say that the script runs': ({ gate }) =>
    gate.hold('agent_report', 'request', reports('running')),
  'the server knows that the script runs': async (walker) => {
    await isRunning(walker)
    await until('it knows', async () => (await readRun(database, walker.runId)).status === 'running')
  },
  'the script has ended, and the agent does not know': async (walker) => {
    await isRunning(walker)
    walker.agent?.signal('SIGSTOP')
    go(walker)
    await until('its result is on the disk', () =>
      existsSync(join(walker.machine.dataDir, 'work', walker.runId, 'result.json')),
    )
  },
  'the device is about to report the result': async (walker) => {
    const held = walker.gate.hold('agent_report', 'request', reports(...ENDED))
    go(walker)
    await held
  },
  'the server has the result, and the device does not know': async (walker) => {
    const held = walker.gate.hold('agent_report', 'response', reports(...ENDED))
    go(walker)
    await held
  },
  'the device knows that the server has the result': async (walker) => {
    go(walker)
    await until('it has ended', endOf(database, walker.runId))
    await until('it is settled', () =>
      readFileSync(join(walker.machine.dataDir, 'runs', `${walker.runId}.json`), 'utf8').includes('settled'),
    )
  },
}

let server: ServerProcess
let company: string
const folder = mkdtempSync(join(tmpdir(), 'konsol-kill-walk-'))
const walkers: Walker[] = []

/** The server that runs at the moment: it is killed and started again. */
const database: Pick<TestBackend, 'sql'> = {
  sql: async <R>(query: string, params: readonly unknown[] = []) =>
    (await server.query(query, [...params])) as R[],
}
const startServer = async (port = 0) => {
  server = await startServerProcess({ dataDir: folder, port, brief: true })
}

beforeAll(async () => {
  await startServer()
  const { id } = await one<{ id: string }>(
    database,
    `insert into public.companies (name, license_type, license_end_date) values ('Walk', 'Pro', current_date + 30) returning id`,
  )
  company = id
})
afterEach(async () => {
  await stopMachines()
  await Promise.all(walkers.splice(0).map(({ gate }) => gate.close()))
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function walkTo(step: string): Promise<Walker> {
  const gate = await createGate(() => server.url)
  const machine = new Machine()
  const { deviceId } = await enroll({
    api: createApi(gate.url, null),
    url: gate.url,
    key: null,
    dataDir: machine.dataDir,
    machineId: machine.id,
    platform: thisPlatform().platform,
    token: await createToken(database, company),
  })
  const file = (name: string) => join(machine.dataDir, name)
  const runId = await queueRun(database, company, deviceId, {
    text: `import os, time
with open(${JSON.stringify(file('starts'))}, "a") as f: f.write("x")
print("begun", flush=True)
while not os.path.exists(${JSON.stringify(file('go'))}): time.sleep(0.05)
print("done")`,
  })
  const walker: Walker = { step, gate, machine, runId, file }
  walkers.push(walker)
  const reached = STEPS[step]?.(walker)
  walker.agent = await machine.start([])
  await reached
  return walker
}

/** Every run at its own point, four at a time. */
async function walkToAll(): Promise<Walker[]> {
  const steps = Object.keys(STEPS)
  const found: Walker[] = []
  while (steps.length > 0) found.push(...(await Promise.all(steps.splice(0, 4).map(walkTo))))
  return found
}

const killAgents = (those: readonly Walker[]) =>
  Promise.all(those.map(async ({ agent }) => agent?.kill('SIGKILL')))

async function restartAgents(those: readonly Walker[]): Promise<void> {
  for (const walker of those) walker.agent = await walker.machine.start([])
}

async function killServer(): Promise<void> {
  const { port } = new URL(server.url)
  await server.kill()
  await startServer(Number(port))
}

/** Each run ends once, with the whole output of one start of its script. */
async function expectAllRanOnce(those: readonly Walker[]): Promise<void> {
  for (const walker of those) {
    walker.gate.open()
    walker.agent?.signal('SIGCONT')
    go(walker)
  }
  // Five minutes in which a run that was given to a device and lost on the way keeps its lease.
  await database.sql(`update public.job_runs set lease_until = now() where status = 'claimed'`)
  for (const { step, runId, file, agent } of those) {
    const run = await until(`the run ends that was interrupted when ${step}`, endOf(database, runId)).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${agent?.log()}`)
      },
    )
    expect({ step, ...run }).toMatchObject({
      status: 'succeeded',
      exit_code: 0,
      output: 'begun\ndone\n',
      error: null,
    })
    expect({ step, starts: readFileSync(file('starts'), 'utf8') }).toEqual({ step, starts: 'x' })
  }
}

withPython('at every step of a run', { timeout: patience(240_000) }, () => {
  it('an agent that is killed loses no run and starts none twice', async () => {
    const those = await walkToAll()
    await killAgents(those)
    await restartAgents(those)
    await expectAllRanOnce(those)
  })

  it('a server that is killed, with the agents or without, loses no run and has none started twice', async () => {
    const [alone, both] = [await walkToAll(), await walkToAll()]
    await killAgents(both)
    await killServer()
    await restartAgents(both)
    await expectAllRanOnce([...alone, ...both])
  })
})
