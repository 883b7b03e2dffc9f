import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { createApi } from '../../../agent/api'
import { enroll } from '../../../agent/enroll'
import { thisPlatform } from '../../../agent/inventory/platform'
import { findInterpreter } from '../../../agent/run/interpreters'
import { createCompany } from '../../support/accounts'
import { sharedBackend, type TestBackend } from '../../support/backend'
import { createToken, queueRun, type Script } from './console'
import { createLine, type Line } from './line'
import { Machine, type RunningAgent, stopMachines, until } from './machine'

export let backend: TestBackend
export let line: Line
export let company: string

/** A company on the backend of all files, and a line to it that can be cut, for the tests of a file. */
export function openSite(): void {
  beforeAll(async () => {
    backend = await sharedBackend()
    line = await createLine(backend.url)
    company = await createCompany(backend)
  })
  afterEach(stopMachines)
  afterAll(async () => {
    await line.cut()
    await backend.stop()
  })
}

/** These tests run Python scripts, so a machine without Python skips them and says so. */
const hasPython = findInterpreter('Python') !== null
if (!hasPython) console.warn('Not tested: how scripts run, because this machine has no Python.')
export const withPython = describe.skipIf(!hasPython)

interface Device {
  machine: Machine
  id: string
  /** The agent that queue() started. */
  agent: () => RunningAgent
  /** Runs wait at the server before the agent first asks, so that no test waits for an interval to pass. */
  queue: (...scripts: Script[]) => Promise<string[]>
}

export async function device(): Promise<Device> {
  const machine = new Machine()
  // As `enroll` does it, without a process of its own.
  const { deviceId } = await enroll({
    api: createApi(line.url, null),
    url: line.url,
    key: null,
    dataDir: machine.dataDir,
    machineId: machine.id,
    platform: thisPlatform().platform,
    token: await createToken(backend, company),
  })
  let agent: RunningAgent | null = null
  return {
    machine,
    id: deviceId,
    agent: () => {
      if (!agent) throw new Error('Nothing was queued yet.')
      return agent
    },
    queue: async (...scripts) => {
      const runs = await Promise.all(scripts.map((script) => queueRun(backend, company, deviceId, script)))
      agent ??= await machine.start([])
      return runs
    },
  }
}

export const firstOf = ([runId]: string[]): string => {
  if (runId === undefined) throw new Error('Nothing was queued.')
  return runId
}

/** How the one run of a job ended. */
export const outcomeOf = (job: string) =>
  until('the run has ended', async () => {
    const [run] = await backend.sql<{ status: string; exit_code: number; output: string }>(
      'select status, exit_code, output from public.job_runs where job_id = $1 and reported_at is not null',
      [job],
    )
    return run
  })

/** A script that leaves its own pid and its child's, then waits for ever. */
export const neverEnding = (file: string) =>
  `import os, signal, subprocess, sys, time
child = subprocess.Popen(["sleep", "100000"], start_new_session=True, env={"PATH": os.environ["PATH"]})
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open(${JSON.stringify(file)} + ".new", "w") as f: f.write(f"{os.getpid()} {child.pid}")
os.rename(${JSON.stringify(file)} + ".new", ${JSON.stringify(file)})
print("waiting", flush=True)
while True: time.sleep(1)
`

export const pidsIn = (file: string): number[] | null => {
  try {
    return readFileSync(file, 'utf8').split(' ').map(Number)
  } catch {
    return null
  }
}
