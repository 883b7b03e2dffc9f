import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { endOf, readRun } from './support/console'
import { processExists, until } from './support/machine'
import {
  backend,
  company,
  device,
  firstOf,
  line,
  neverEnding,
  openSite,
  pidsIn,
  withPython,
} from './support/site'

openSite()

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

  it('reports the result of a script that ended in the meantime', async () => {
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
    // As if it had run for two minutes, and the agent had been away for eight.
    const file = join(machine.dataDir, 'work', runId, 'result.json')
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
    const result = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...result, started_at: ago(600), finished_at: ago(480) }))
    await backend.sql(
      `update public.job_runs set claimed_at = now() - interval '10 minutes', started_at = now() - interval '10 minutes' where id = $1`,
      [runId],
    )
    await machine.start([])
    expect(await until('it has ended', endOf(backend, runId))).toMatchObject({
      status: 'succeeded',
      exit_code: 0,
      output: 'done\n',
    })
    const [times] = await backend.sql<{ duration: number; late: number }>(
      `select duration_seconds::float as duration, extract(epoch from reported_at - finished_at)::float as late
       from public.job_runs where id = $1`,
      [runId],
    )
    expect(times?.duration).toBeGreaterThan(100)
    expect(times?.duration).toBeLessThan(140)
    expect(times?.late).toBeGreaterThan(479)
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
  it('gets the result when it is back, also after the agent was restarted', async () => {
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
