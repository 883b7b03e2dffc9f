import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { Machine, stopMachines, until } from './support/machine'
import { offer, type StubServer, stubServer } from './support/stub-server'

let server: StubServer | null = null
afterEach(async () => {
  await stopMachines()
  await server?.stop()
  server = null
})

const answer = (runs: unknown[] = []) => ({ interval: 1, runs, cancel: [] })

async function serve(behavior: Parameters<typeof stubServer>[0]): Promise<StubServer> {
  server = await stubServer(behavior)
  return server
}

const start = (machine: Machine, { url }: StubServer) =>
  machine.start(['--url', url], { KONSOL_TOKEN: 'x'.repeat(64) })

describe('an offer', () => {
  it('made again and again, while the run goes on and after it ended, starts the script once', async () => {
    const machine = new Machine()
    const runId = randomUUID()
    const starts = join(machine.dataDir, 'starts')
    const stub = await serve({
      checkIn: () => answer([offer(runId, `echo x >> ${starts}; sleep 1.5; echo done`)]),
    })
    await start(machine, stub)
    await until('the result came', () => stub.results().length > 0)
    const seen = stub.checkIns.length
    await until('it was offered three times more', () => stub.checkIns.length > seen + 3)
    expect(readFileSync(starts, 'utf8')).toBe('x\n')
    const results = stub.results()
    expect(results.length).toBeGreaterThan(1)
    for (const result of results)
      expect(result).toMatchObject({ run_id: runId, state: 'succeeded', exit_code: 0 })
    // Listed as running meanwhile, so that the server renews the lease.
    expect(stub.checkIns.some(({ running }) => (running as string[]).includes(runId))).toBe(true)
  })

  it.skipIf(process.platform === 'win32')(
    'made on a full disk starts the script once, and its result arrives all the same',
    async () => {
      const machine = new Machine()
      const runId = randomUUID()
      const starts = join(machine.dataDir, 'starts')
      let isTaken = false
      const stub = await serve({
        checkIn: () => answer([offer(runId, `echo x >> ${starts}; printf '%020000d' 7`)]),
        report: (payload) =>
          isTaken
            ? { accepted: (payload.results as { run_id: string }[]).map(({ run_id }) => run_id), refused: [] }
            : { status: 503, body: { message: 'starting' } },
      })
      const agent = await machine.start(['--url', stub.url], { KONSOL_TOKEN: 'x'.repeat(64) }, 8)
      await until('the disk was full', () => agent.log().includes('could not be written to disk'))
      // Not half of a newer entry: what a restarted agent reads is that the script has begun.
      expect(JSON.parse(readFileSync(join(machine.dataDir, 'runs', `${runId}.json`), 'utf8'))).toMatchObject({
        runId,
        state: 'begun',
      })
      isTaken = true
      const result = await until('the result came', () => stub.results().at(-1))
      expect(result).toMatchObject({ run_id: runId, state: 'succeeded', exit_code: 0 })
      expect(String(result.output)).toHaveLength(20_000)
      const seen = stub.checkIns.length
      await until('it was offered again', () => stub.checkIns.length > seen + 1)
      expect(readFileSync(starts, 'utf8')).toBe('x\n')
    },
  )

  it('of a run whose journal entry cannot be read is answered as interrupted, and never started', async () => {
    const machine = new Machine()
    const runId = randomUUID()
    const starts = join(machine.dataDir, 'starts')
    mkdirSync(join(machine.dataDir, 'runs'))
    writeFileSync(join(machine.dataDir, 'runs', `${runId}.json`), '{"runId":"')
    const stub = await serve({ checkIn: () => answer([offer(runId, `echo x >> ${starts}`)]) })
    await start(machine, stub)
    expect(await until('it was answered', () => stub.results()[0])).toMatchObject({
      run_id: runId,
      attempt: 1,
      state: 'interrupted',
    })
    expect(existsSync(starts)).toBe(false)
  })

  it.skipIf(process.platform !== 'linux')(
    'of a run that a killed agent began but never started is started, unless the machine was restarted since',
    async () => {
      const machine = new Machine()
      const [fresh, old] = [randomUUID(), randomUUID()]
      const starts = join(machine.dataDir, 'starts')
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
      mkdirSync(join(machine.dataDir, 'runs'))
      for (const runId of [fresh, old]) {
        mkdirSync(join(machine.dataDir, 'work', runId), { recursive: true })
        const entry = {
          runId,
          attempt: 1,
          state: 'begun',
          at: 1,
          boot: runId === fresh ? boot : randomUUID(),
        }
        writeFileSync(join(machine.dataDir, 'runs', `${runId}.json`), JSON.stringify(entry))
      }
      const stub = await serve({
        checkIn: () => answer([fresh, old].map((runId) => offer(runId, `echo ${runId} >> ${starts}`))),
      })
      await start(machine, stub)
      const resultOf = (runId: string) => () => stub.results().find(({ run_id }) => run_id === runId)
      expect(await until('one was started', resultOf(fresh))).toMatchObject({ state: 'succeeded' })
      expect(await until('the other was not', resultOf(old))).toMatchObject({ state: 'interrupted' })
      expect(readFileSync(starts, 'utf8')).toBe(`${fresh}\n`)
    },
  )

  it('that is no run at all is left alone: a run id never becomes another file', async () => {
    const machine = new Machine()
    const stub = await serve({
      checkIn: (_payload, count) =>
        answer(
          count === 1
            ? [
                offer('../../outside', 'echo no'),
                offer(`${randomUUID()}/../x`, 'echo no'),
                { ...offer(randomUUID(), 'echo no'), script: 7 },
                { ...offer(randomUUID(), 'echo no'), timeout_seconds: 'long' },
                null,
                'run',
              ]
            : [],
        ),
    })
    const agent = await start(machine, stub)
    await until('two more check-ins', () => stub.checkIns.length > 2)
    expect(stub.reports).toEqual([])
    expect(agent.log()).not.toContain('started')
    expect(existsSync(join(machine.dataDir, 'outside.json'))).toBe(false)
  })

  it('of an unknown script type is refused by name', async () => {
    const stub = await serve({
      checkIn: (_payload, count) =>
        answer(count === 1 ? [offer(randomUUID(), 'say hello', { type: 'Perl' })] : []),
    })
    await start(new Machine(), stub)
    await until('it was refused', () => stub.results().length > 0)
    expect(stub.results()[0]).toMatchObject({ state: 'refused', reason: 'no_interpreter', exit_code: null })
    expect(stub.results()[0]?.output).toContain('Perl')
  })

  it('with the checksum of another script is refused before anything runs', async () => {
    const machine = new Machine()
    const proof = join(machine.dataDir, 'proof')
    const sha256 = String(offer('', 'echo harmless').sha256)
    const stub = await serve({
      checkIn: (_payload, count) =>
        answer(count === 1 ? [offer(randomUUID(), `touch ${proof}`, { sha256 })] : []),
    })
    await start(machine, stub)
    await until('it was refused', () => stub.results().length > 0)
    expect(stub.results()[0]).toMatchObject({ state: 'refused', reason: 'hash_mismatch' })
    expect(existsSync(proof)).toBe(false)
  })
})

describe('a report', () => {
  it('that the server refuses is not sent for ever', async () => {
    const runId = randomUUID()
    const stub = await serve({
      checkIn: (_payload, count) => answer(count === 1 ? [offer(runId, 'echo hello')] : []),
      report: () => ({ accepted: [], refused: [{ run_id: runId, reason: 'result_exists' }] }),
    })
    const agent = await start(new Machine(), stub)
    await until('it was refused', () => agent.log().includes('result_exists'))
    const seen = stub.checkIns.length
    await until('three check-ins later', () => stub.checkIns.length > seen + 2)
    expect(stub.results()).toHaveLength(1)
  })

  it('that is too large goes without its output rather than never', async () => {
    const stub = await serve({
      checkIn: (_payload, count) => answer(count === 1 ? [offer(randomUUID(), 'echo hello; exit 4')] : []),
      report: (payload) =>
        JSON.stringify(payload).includes('hello')
          ? { status: 413, body: { code: 'PT413', message: 'The payload is too large.' } }
          : { accepted: (payload.results as { run_id: string }[]).map(({ run_id }) => run_id), refused: [] },
    })
    await start(new Machine(), stub)
    const bare = await until('it arrived', () => stub.results().find((result) => !('output' in result)))
    expect(bare).toMatchObject({ state: 'failed', exit_code: 4 })
  })

  it('with more than a proxy takes goes with the beginning and the end of its output', async () => {
    const stub = await serve({
      checkIn: (_payload, count) => answer(count === 1 ? [offer(randomUUID(), 'seq 1 100000')] : []),
      report: (payload) =>
        JSON.stringify(payload).length > 400_000
          ? { status: 413, body: '<html>413 Request Entity Too Large</html>' }
          : { accepted: (payload.results as { run_id: string }[]).map(({ run_id }) => run_id), refused: [] },
    })
    await start(new Machine(), stub)
    const result = await until('it arrived', () => stub.results().find(({ truncated }) => truncated === true))
    expect(result.output).toMatch(
      /^1\n2\n[\d\n]+… [\d,]+ bytes \([\d,]+ lines\) cut here …\n[\d\n]+\n100000\n$/,
    )
  })

  it('that is slow to arrive holds up no check-in', async () => {
    let release: () => void = () => undefined
    const released = new Promise<void>((done) => {
      release = done
    })
    const stub = await serve({
      checkIn: (_payload, count) => answer(count === 1 ? [offer(randomUUID(), 'echo hello')] : []),
      holdReports: released,
    })
    await start(new Machine(), stub)
    await until('a report is on its way', () => stub.reports.length > 0)
    const seen = stub.checkIns.length
    await until('two more check-ins', () => stub.checkIns.length > seen + 1)
    release()
  })

  it('that meets a server in trouble is kept and sent again', async () => {
    const runId = randomUUID()
    const stub = await serve({
      checkIn: (_payload, count) => answer(count === 1 ? [offer(runId, 'echo hello')] : []),
      report: (payload, count) =>
        count <= 3
          ? { status: 503, body: { message: 'starting' } }
          : { accepted: (payload.results as { run_id: string }[]).map(({ run_id }) => run_id), refused: [] },
    })
    await start(new Machine(), stub)
    await until('it was sent again', () => stub.reports.length > 3)
    expect(stub.results().at(-1)).toMatchObject({ run_id: runId, state: 'succeeded', output: 'hello\n' })
  })
})

describe('a check-in', () => {
  it('carries the inventory when asked and only then, and never more than the server asked for', async () => {
    const stub = await serve({
      checkIn: (payload, count) => ({
        ...answer(),
        ...(count === 1 ? { send_inventory: true } : {}),
        seen: payload.device_id,
      }),
    })
    await start(new Machine(), stub)
    await until('four check-ins', () => stub.checkIns.length > 3)
    expect(stub.checkIns.slice(0, 4).map((payload) => 'inventory' in payload)).toEqual([
      false,
      true,
      false,
      false,
    ])
    expect(stub.checkIns[1]?.inventory).toMatchObject({
      hostname: expect.any(String),
      software: expect.any(Array),
    })
    expect(new Set(stub.checkIns.map((payload) => payload.inventory_hash)).size).toBe(1)
  })

  it('that is answered with nonsense changes nothing', async () => {
    const stub = await serve({
      checkIn: (_payload, count) =>
        count === 1
          ? { interval: 'soon', runs: 'many', cancel: [7, null] }
          : count === 2
            ? { status: 200, body: [1] }
            : answer(),
    })
    const agent = await start(new Machine(), stub)
    // An agent without an interval waits a minute, so the test stops the agent: a clean exit shows that it survived.
    await until('it was answered', () => stub.checkIns.length > 0)
    await agent.kill('SIGTERM')
    expect(await agent.ended).toBe(0)
  })
})
