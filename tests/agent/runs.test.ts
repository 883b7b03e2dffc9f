import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createApi } from '../../agent/api'
import { enroll } from '../../agent/enroll'
import { thisPlatform } from '../../agent/inventory/platform'
import { findInterpreter } from '../../agent/run/interpreters'
import { createCompany } from '../support/accounts'
import { type TestBackend, testBackend } from '../support/backend'
import { createToken, endOf, one, queueRun, readRun, type Script } from './support/console'
import { createLine, type Line } from './support/line'
import { Machine, processExists, type RunningAgent, stopMachines, until } from './support/machine'

let backend: TestBackend
let line: Line
let company: string
beforeAll(async () => {
  backend = await testBackend({ demo: false })
  line = await createLine(backend.url)
  company = await createCompany(backend)
})
afterEach(stopMachines)
afterAll(async () => {
  await line.cut()
  await backend.stop()
})

/** What these tests run are Python scripts, so a machine without it skips them, aloud. */
const hasPython = findInterpreter('Python') !== null
if (!hasPython) console.warn('Not tested: how scripts run, because this machine has no Python.')
const withPython = describe.skipIf(!hasPython)

interface Device {
  machine: Machine
  id: string
  /** The agent that queue() started. */
  agent: () => RunningAgent
  /** Runs wait at the server before the agent first asks, so that no test waits for an interval to pass. */
  queue: (...scripts: Script[]) => Promise<string[]>
}

async function device(): Promise<Device> {
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

const firstOf = ([runId]: string[]): string => {
  if (runId === undefined) throw new Error('Nothing was queued.')
  return runId
}

/** A script that leaves its own pid and its child's, then waits for ever. */
const neverEnding = (file: string) =>
  `import os, signal, subprocess, sys, time
child = subprocess.Popen(["sleep", "100000"], start_new_session=True, env={"PATH": os.environ["PATH"]})
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open(${JSON.stringify(file)} + ".new", "w") as f: f.write(f"{os.getpid()} {child.pid}")
os.rename(${JSON.stringify(file)} + ".new", ${JSON.stringify(file)})
print("waiting", flush=True)
while True: time.sleep(1)
`

const pidsIn = (file: string): number[] | null => {
  try {
    return readFileSync(file, 'utf8').split(' ').map(Number)
  } catch {
    return null
  }
}

withPython('a script', () => {
  it('runs, and its output, exit code and log line reach the console', async () => {
    const { id, queue } = await device()
    const runId = firstOf(await queue({ text: 'import socket\nprint(socket.gethostname())' }))
    const run = await until('it has ended', endOf(backend, runId))
    expect(run).toMatchObject({
      status: 'succeeded',
      attempt: 1,
      exit_code: 0,
      output: `${hostname()}\n`,
      error: null,
    })
    expect(run.started_at).not.toBeNull()
    expect(
      await one(
        backend,
        `select l.status, l.output, l.procedure_name, j.status as job, j.succeeded, j.failed
         from public.procedure_logs l join public.job_runs r on r.id = l.job_run_id join public.jobs j on j.id = r.job_id
         where l.device_id = $1`,
        [id],
      ),
    ).toEqual({
      status: 'success',
      output: `${hostname()}\n`,
      procedure_name: 'Test procedure',
      job: 'finished',
      succeeded: 1,
      failed: 0,
    })
  })

  it('gets its parameters, secrets among them, and nothing of the agent’s own', async () => {
    const { queue } = await device()
    const runId = firstOf(
      await queue({
        type: 'Bash',
        text: 'echo "$PARAM_NAME|$PARAM_COUNT|$PARAM_PASSWORD|$(printf %s "$PARAM_PASSWORD" | wc -c)|$(env | grep -c "^KONSOL_TOKEN")"; echo oops >&2; exit 3',
        parameters: { name: 'ışık "x" $HOME', count: 3 },
        secrets: { Password: 'a secret' },
      }),
    )
    const run = await until('it has ended', endOf(backend, runId))
    expect(run).toMatchObject({ status: 'failed', exit_code: 3, error: null })
    expect(run.output).toContain('ışık "x" $HOME|3|***|8|0\n')
    expect(run.output).toContain('oops')
    expect(
      await one(
        backend,
        'select count(*)::int as left from app.job_secrets s join public.job_runs r on r.job_id = s.job_id where r.id = $1',
        [runId],
      ),
    ).toEqual({ left: 0 })
    expect(
      await one(backend, 'select status from public.procedure_logs where job_run_id = $1', [runId]),
    ).toEqual({ status: 'error' })
  })

  it('of a type this machine has no interpreter for fails and says which was looked for', async () => {
    const { queue } = await device()
    const run = await until(
      'it has ended',
      endOf(backend, firstOf(await queue({ type: 'Batch', text: 'echo hello' }))),
    )
    expect(run).toMatchObject({ status: 'failed', exit_code: null, error: 'no_interpreter' })
    expect(run.output).toContain('no interpreter for Batch')
  })

  it('that does not match its checksum is refused and never started', async () => {
    const { machine, queue } = await device()
    const proof = join(machine.dataDir, 'proof')
    const runId = firstOf(await queue({ type: 'Bash', text: `touch ${proof}`, sha256: '0'.repeat(64) }))
    const run = await until('it has ended', endOf(backend, runId))
    expect(run).toMatchObject({ status: 'failed', exit_code: null, error: 'hash_mismatch' })
    expect(pidsIn(proof)).toBeNull()
  })

  it('that never ends is killed at its time-out, with a child that left its group and a signal it ignores', async () => {
    const { machine, queue } = await device()
    const file = join(machine.dataDir, 'pids')
    const runId = firstOf(await queue({ text: neverEnding(file), timeoutSeconds: 2 }))
    const pids = await until('it has started', () => pidsIn(file))
    expect(pids).toHaveLength(2)
    const run = await until('it has ended', endOf(backend, runId))
    expect(run).toMatchObject({ status: 'timed_out', error: 'timed_out' })
    expect(run.output).toBe('waiting\n')
    await until('both processes are gone', () => pids.every((pid) => !processExists(pid)))
  })

  it.skipIf(process.platform !== 'linux')(
    'is killed at its time-out with processes that left its session, its environment, its folder or its files',
    async () => {
      const { machine, queue } = await device()
      const file = join(machine.dataDir, 'pids')
      const runId = firstOf(
        await queue({
          type: 'Bash',
          text: `leave() { (env -i setsid bash -c 'echo $$ >> '${file}'; '"$1"'; exec sleep 100000' </dev/null >/dev/null 2>&1 &) }
leave 'cd /'
leave 'exec 3>&-'
while [ "$(wc -l <${file} 2>/dev/null)" != 2 ]; do sleep 0.05; done
mv ${file} ${file}.all
sleep 100000`,
          timeoutSeconds: 2,
        }),
      )
      const pids = await until('they have started', () =>
        existsSync(`${file}.all`) ? readFileSync(`${file}.all`, 'utf8').trim().split('\n').map(Number) : null,
      )
      expect(pids).toHaveLength(2)
      expect((await until('it has ended', endOf(backend, runId))).status).toBe('timed_out')
      await until('all are gone', () => pids.every((pid) => !processExists(pid)))
    },
  )

  it('that prints without end is killed at its time-out, and its output is cut to 1 MB with a note', async () => {
    const { queue } = await device()
    const runId = firstOf(
      await queue({ type: 'Bash', text: 'echo the beginning; yes "ışık $$"', timeoutSeconds: 2 }),
    )
    const run = await until('it has ended', endOf(backend, runId))
    expect(run).toMatchObject({ status: 'timed_out', output_truncated: true })
    expect(Buffer.byteLength(run.output ?? '')).toBeLessThanOrEqual(1_048_576)
    expect(run.output?.startsWith('the beginning\n')).toBe(true)
    expect(/\n… [\d,]+ bytes \([\d,]+ lines\) cut here …\n/.test(run.output ?? '')).toBe(true)
    expect(run.output?.includes('\uFFFD')).toBe(false)
  })

  it('that prints bytes no text holds still arrives', async () => {
    const { queue } = await device()
    const runId = firstOf(
      await queue({ text: 'import sys\nsys.stdout.buffer.write(b"a\\x00b\\xff\\xfec\\n")' }),
    )
    const run = await until('it has ended', endOf(backend, runId))
    expect(run).toMatchObject({ status: 'succeeded', output: 'a\uFFFDb\uFFFD\uFFFDc\n' })
  })

  it('that is canceled while it runs is killed and reported', async () => {
    const { machine, queue } = await device()
    const file = join(machine.dataDir, 'pids')
    const runId = firstOf(await queue({ text: neverEnding(file) }))
    const pids = await until('it has started', () => pidsIn(file))
    await backend.sql('select app.cancel_runs($1, array[$2::uuid])', [company, runId])
    const run = await until('it has ended', endOf(backend, runId))
    expect(run).toMatchObject({ status: 'cancelled', error: 'cancelled' })
    await until('both processes are gone', () => pids.every((pid) => !processExists(pid)))
  })

  it('waits for a place: five runs end, at most four at once', async () => {
    const { queue } = await device()
    const text = 'import time\ntime.sleep(0.3)\nprint("done")'
    const runs = await queue({ text }, { text }, { text }, { text }, { text })
    for (const runId of runs)
      expect((await until('it has ended', endOf(backend, runId))).status).toBe('succeeded')
  })
})

withPython('an agent that was killed in the middle of a run', () => {
  it('goes on with it when it is back, and reports how it ended, with its whole output', async () => {
    const { machine, agent, queue } = await device()
    const [starts, running, go] = ['starts', 'running', 'go'].map((name) => join(machine.dataDir, name))
    const runId = firstOf(
      await queue({
        text: `import os, sys, time
open(${JSON.stringify(starts)}, "a").write("x")
print("before", flush=True)
open(${JSON.stringify(running)}, "w").write("1")
while not os.path.exists(${JSON.stringify(go)}): time.sleep(0.05)
print("after", flush=True)
sys.exit(7)`,
      }),
    )
    await until('it has started', () => pidsIn(String(running)))
    await agent().kill('SIGKILL')
    await machine.start([])
    writeFileSync(String(go), '')
    expect(await until('it has ended', endOf(backend, runId))).toMatchObject({
      status: 'failed',
      exit_code: 7,
      error: null,
      output: 'before\nafter\n',
      attempt: 1,
    })
    expect(readFileSync(String(starts), 'utf8')).toBe('x')
  })

  it('reports a script that ended meanwhile as it ended', async () => {
    const { machine, agent, queue } = await device()
    const [running, go] = [join(machine.dataDir, 'running'), join(machine.dataDir, 'go')]
    const runId = firstOf(
      await queue({
        text: `import os, time
open(${JSON.stringify(running)}, "w").write("1")
while not os.path.exists(${JSON.stringify(go)}): time.sleep(0.05)
print("done")`,
      }),
    )
    await until('it has started', () => pidsIn(running))
    await agent().kill('SIGKILL')
    writeFileSync(go, '')
    await until('its result is on the disk', () =>
      existsSync(join(machine.dataDir, 'work', runId, 'result.json')),
    )
    await machine.start([])
    expect(await until('it has ended', endOf(backend, runId))).toMatchObject({
      status: 'succeeded',
      exit_code: 0,
      output: 'done\n',
    })
  })

  it('leaves its time limit in force, and cancels it when it is back', async () => {
    const { machine, agent, queue } = await device()
    const files = [join(machine.dataDir, 'first'), join(machine.dataDir, 'second')]
    const runs = await queue(
      { text: neverEnding(String(files[0])), timeoutSeconds: 3 },
      { text: neverEnding(String(files[1])) },
    )
    const pids = await Promise.all(files.map((file) => until('it has started', () => pidsIn(file))))
    await agent().kill('SIGKILL')
    await until('the first is gone', () => pids[0]?.every((pid) => !processExists(pid)))
    await machine.start([])
    expect(await until('it has ended', endOf(backend, String(runs[0])))).toMatchObject({
      status: 'timed_out',
      output: 'waiting\n',
    })
    await backend.sql('select app.cancel_runs($1, array[$2::uuid])', [company, runs[1]])
    expect(await until('it has ended', endOf(backend, String(runs[1])))).toMatchObject({
      status: 'cancelled',
    })
    await until('the second is gone', () => pids[1]?.every((pid) => !processExists(pid)))
  })

  it('reports it as interrupted where its supervisor is gone too, ends what is left of it, and never starts it again', async () => {
    const { machine, agent, queue } = await device()
    const file = join(machine.dataDir, 'pids')
    const starts = join(machine.dataDir, 'starts')
    const runId = firstOf(
      await queue({
        text: `open(${JSON.stringify(starts)}, "a").write("x")\n${neverEnding(file)}`,
      }),
    )
    const pids = await until('it has started', () => pidsIn(file))
    await until('the server knows', async () => (await readRun(backend, runId)).status === 'running')
    const claim = JSON.parse(readFileSync(join(machine.dataDir, 'work', runId, 'claim'), 'utf8')) as {
      pid: number
    }
    await agent().kill('SIGKILL')
    process.kill(claim.pid, 'SIGKILL')
    expect(pids.every(processExists)).toBe(true)

    await machine.start([])
    const run = await until('it has ended', endOf(backend, runId))
    expect(run).toMatchObject({ status: 'failed', error: 'interrupted', attempt: 1 })
    await until('both processes are gone', () => pids.every((pid) => !processExists(pid)))
    expect(readFileSync(starts, 'utf8')).toBe('x')
  })

  it('answers a lapsed lease from its journal, without starting the script again', async () => {
    const { machine, agent, queue } = await device()
    const starts = join(machine.dataDir, 'starts')
    const runId = firstOf(
      await queue({ text: `open(${JSON.stringify(starts)}, "a").write("x")\nprint("once")` }),
    )
    await until('it has ended', endOf(backend, runId))
    await agent().kill('SIGTERM')
    // As if the server had never heard the result.
    await backend.sql(
      `update public.job_runs set status = 'running', reported_at = null, output = null, finished_at = null,
         lease_until = now() - interval '1 minute' where id = $1`,
      [runId],
    )
    await machine.start([])
    const run = await until('it has ended', endOf(backend, runId))
    expect(run).toMatchObject({ status: 'succeeded', exit_code: 0, attempt: 1 })
    expect(readFileSync(starts, 'utf8')).toBe('x')
  })
})

withPython('an agent that is stopped in the middle of a run', () => {
  it('ends the script, reports it with what it had printed, and leaves no process', async () => {
    const { machine, agent, queue } = await device()
    const file = join(machine.dataDir, 'pids')
    const runId = firstOf(await queue({ text: neverEnding(file) }))
    const pids = await until('it has started', () => pidsIn(file))
    await agent().kill('SIGTERM')
    expect(await agent().ended).toBe(0)
    expect(await readRun(backend, runId)).toMatchObject({
      status: 'failed',
      error: 'interrupted',
      output: 'waiting\n',
    })
    await until('both processes are gone', () => pids.every((pid) => !processExists(pid)))
  })
})

withPython('a server that goes away', () => {
  it('gets the result when it is back, also when the agent was restarted meanwhile', async () => {
    const { machine, agent, queue } = await device()
    const go = join(machine.dataDir, 'go')
    const done = join(machine.dataDir, 'done')
    const runId = firstOf(
      await queue({
        text: `import os, time
while not os.path.exists(${JSON.stringify(go)}): time.sleep(0.05)
print("spooled")
open(${JSON.stringify(done)}, "w").write("1")`,
      }),
    )
    await until('it runs', async () => (await readRun(backend, runId)).status === 'running')
    await line.cut()
    writeFileSync(go, '')
    await until('the script has ended', () => pidsIn(done))
    await until('the agent knows', () => agent().log().includes('ended: succeeded'))
    expect((await readRun(backend, runId)).status).toBe('running')
    await agent().kill('SIGKILL')
    const again = await machine.start([])
    await until('it has tried', () => again.log().includes('cannot be reached'))
    await line.mend()
    expect(await until('it has ended', endOf(backend, runId))).toMatchObject({
      status: 'succeeded',
      exit_code: 0,
      output: 'spooled\n',
    })
    await until('it says so', () => again.log().includes('responds again'))
  })
})

withPython('--once', () => {
  it('checks in, runs what there is, reports it, and ends', async () => {
    const machine = new Machine()
    const token = await createToken(backend, company)
    expect((await machine.finish(['enroll', '--url', line.url], { KONSOL_TOKEN: token })).code).toBe(0)
    const { deviceId } = JSON.parse(readFileSync(join(machine.dataDir, 'device.json'), 'utf8')) as {
      deviceId: string
    }
    const runId = await queueRun(backend, company, deviceId, { text: 'print("once")' })
    expect((await machine.finish(['--once'])).code).toBe(0)
    expect(await readRun(backend, runId)).toMatchObject({ status: 'succeeded', output: 'once\n' })
  })
})
