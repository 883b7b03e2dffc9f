import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createToken, endOf, one, queueRun, readRun } from './support/console'
import { Machine, processExists, until } from './support/machine'
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
