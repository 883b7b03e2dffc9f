import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Journal, UNKNOWN_ATTEMPT } from '../../agent/journal'
import { DataDirInUse, lockDataDir } from '../../agent/lock'
import { checkedUrl, parseOptions, UsageError } from '../../agent/options'
import type { Result } from '../../agent/protocol'
import { nextBatch } from '../../agent/reporter'
import { scriptEnvironment } from '../../agent/run/run-script'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konsol-journal-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const result = (run_id: string, output = 'hello'): Result => ({
  run_id,
  attempt: 1,
  state: 'succeeded',
  exit_code: 0,
  output,
})

describe('the journal', () => {
  it('knows after a restart what was begun, what waits, and what the server has', () => {
    const [begun, done, settled] = [randomUUID(), randomUUID(), randomUUID()]
    const before = new Journal(folder)
    for (const id of [begun, done, settled]) before.begin(id, 1)
    before.finish(result(done))
    before.finish(result(settled))
    before.settle(settled)

    const after = new Journal(folder)
    expect(after.begun().map(({ runId }) => runId)).toEqual([begun])
    expect(after.waiting()).toEqual([result(done)])
    expect(after.get(settled)?.state).toBe('settled')
    after.reopen(settled)
    expect(after.waiting().map(({ run_id, state }) => [run_id, state])).toContainEqual([settled, 'succeeded'])
  })

  it.each([
    '{"runId": "',
    '',
    '{}',
    JSON.stringify({ runId: randomUUID(), attempt: 1, state: 'done', at: 1 }),
  ])('takes an entry that cannot be read (%j) for begun, at any attempt', (text) => {
    const id = randomUUID()
    writeFileSync(join(folder, `${id}.json`), text)
    expect(new Journal(folder).get(id)).toMatchObject({ runId: id, attempt: UNKNOWN_ATTEMPT, state: 'begun' })
  })

  it('ignores foreign files, removes drafts, and keeps output to its owner', () => {
    const id = randomUUID()
    writeFileSync(join(folder, `${randomUUID()}.json.7.new`), '{')
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    const journal = new Journal(folder)
    journal.begin(id, 1)
    expect(statSync(join(folder, `${id}.json`)).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder).sort()).toEqual([`${id}.json`, 'notes.txt'].sort())
  })

  it('forgets what the server has had for two months, and nothing it has not', () => {
    const journal = new Journal(folder)
    const [old, waiting] = [randomUUID(), randomUUID()]
    for (const id of [old, waiting]) {
      journal.begin(id, 1)
      journal.finish(result(id))
    }
    journal.settle(old)
    journal.prune(Date.now() + 61 * 24 * 3_600_000)
    expect(readdirSync(folder)).toEqual([`${waiting}.json`])
  })
})

describe('the lock', () => {
  it('is held by one, freed by its release, and taken over from the dead', () => {
    const release = lockDataDir(folder)
    expect(() => lockDataDir(folder)).toThrow(DataDirInUse)
    release()
    lockDataDir(folder)()
    // A pid that exists with another start time is somebody else; one that never existed is dead.
    for (const owner of [{ pid: process.ppid, started: '1' }, { pid: 2 ** 22 + 1, started: null }, 'torn'])
      if (process.platform === 'linux' || typeof owner === 'string' || owner.started === null) {
        writeFileSync(join(folder, 'lock'), typeof owner === 'string' ? owner : JSON.stringify(owner))
        lockDataDir(folder)()
      }
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('the command line', () => {
  it('reads its options in both spellings', () => {
    expect(
      parseOptions(['enroll', '--url=https://a.example/konsol/', '--token-file', '-', '--data-dir', '/x']),
    ).toMatchObject({
      command: 'enroll',
      url: 'https://a.example/konsol',
      tokenFile: '-',
      dataDir: '/x',
      isOnce: false,
    })
    expect(parseOptions([])).toMatchObject({ command: 'run', url: null, tokenFile: null, key: null })
  })

  it.each([
    [['--token-file']],
    [['--token-file', '--once']],
    [['--token', 'x']],
    [['start']],
    [['--verbose']],
    [['--machine-id', 'a/b']],
  ])('refuses %j', (args) => {
    expect(() => parseOptions(args)).toThrow(UsageError)
  })

  it.each([
    'https://console.example.com',
    'http://localhost:3000',
    'http://127.0.0.2:3000',
    'http://[::1]:3000',
  ])('takes the address %s', (url) => {
    expect(checkedUrl(url)).toBe(url)
  })

  it.each([
    'http://localhost.example.com',
    'http://127.0.0.1.nip.io',
    'http://0x7f.1.example',
    'file:///etc/passwd',
    'https://a?b',
    '',
  ])('refuses the address "%s"', (url) => {
    expect(() => checkedUrl(url)).toThrow(UsageError)
  })
})

describe('a report', () => {
  it('takes as many results as fit into one request, and always one', () => {
    const big = Array.from({ length: 20 }, () => result(randomUUID(), 'x'.repeat(200_000)))
    expect(nextBatch(big).length).toBeLessThan(20)
    expect(Buffer.byteLength(JSON.stringify(nextBatch(big)))).toBeLessThan(1_500_000)
    expect(nextBatch([result(randomUUID(), 'x'.repeat(2_000_000))])).toHaveLength(1)
    expect(nextBatch(Array.from({ length: 100 }, () => result(randomUUID()))).length).toBeLessThanOrEqual(64)
    expect(nextBatch([])).toEqual([])
  })
})

describe('the environment of a script', () => {
  it('has its parameters, and neither the agent’s variables nor options for a Node it starts', () => {
    const env = scriptEnvironment(
      {
        runId: 'r',
        attempt: 1,
        type: 'Bash',
        script: '',
        sha256: '',
        timeoutSeconds: 1,
        secrets: [],
        parameters: { host: 'a\0b', count: 3, 'bad name': 'x' },
      },
      {
        PATH: '/bin',
        KONSOL_TOKEN: 't',
        PARAM_HOST: 'stale',
        PARAM_OTHER: 'stale',
        NODE_OPTIONS: '--inspect',
      },
    )
    expect(env).toEqual({
      PATH: '/bin',
      PARAM_HOST: 'ab',
      PARAM_COUNT: '3',
      PYTHONUNBUFFERED: '1',
      PYTHONIOENCODING: 'utf-8',
      KONSOL_RUN_ID: 'r',
    })
  })
})
