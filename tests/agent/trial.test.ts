import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { tryVersion } from '../../agent/update/trial'
import { readUpdateState, writeUpdateState } from '../../agent/update/update-state'
import { candidateFile, Updater } from '../../agent/update/updater'
import { SOURCE_VERSION } from '../../agent/version'
import { eventually } from '../support/eventually'

const CHECKS_IN = "process.send({ kind: 'checked_in' })\n"
/** An agent ends when its parent closes the channel. */
const STAYS = "process.on('disconnect', () => process.exit(0))\nsetInterval(() => undefined, 1e6)\n"
const OLD = '// old\n'

let dataDir: string
let program: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'konsol-trial-'))
  program = join(dataDir, 'agent.mjs')
  writeFileSync(program, OLD)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dataDir, { recursive: true, force: true })
})

/** A version on the disk, as the updater leaves it. */
function candidate(version: string, code: string) {
  const file = candidateFile(program, version)
  writeFileSync(file, code)
  return { version, publishedAt: '2026-11-25T10:00:00.000Z', file }
}

const attempt = (
  next: ReturnType<typeof candidate>,
  more: Partial<Parameters<typeof tryVersion>[1]> = {},
): Promise<number | null> =>
  tryVersion(next, {
    dataDir,
    program,
    args: ['run'],
    trialMs: 150,
    isService: true,
    isReachable: async () => true,
    onStop: () => undefined,
    ...more,
  })

const NEW = '1.0.0+aaaaaaaaaaaa'
const NEWER = '1.0.1+bbbbbbbbbbbb'

describe('a version on trial', () => {
  it('that checks in is kept, and what it replaced lies beside it', async () => {
    candidate('0.9.0+cccccccccccc', OLD)
    writeFileSync(join(dataDir, 'agent-of-somebody.mjs'), '')
    expect(await attempt(candidate(NEW, CHECKS_IN + STAYS), { trialMs: 20_000 })).toBe(0)
    expect(readFileSync(program, 'utf8')).toBe(CHECKS_IN + STAYS)
    expect(readFileSync(join(dataDir, 'agent.previous.mjs'), 'utf8')).toBe(OLD)
    expect(readUpdateState(dataDir)).toEqual({
      trying: null,
      failed: null,
      refused: {},
      current: NEW,
      newest: '2026-11-25T10:00:00.000Z',
    })
    // Files of earlier versions are removed; files that are not the agent's stay.
    expect(readdirSync(dataDir).sort()).toEqual([
      'agent-1.0.0-aaaaaaaaaaaa.mjs',
      'agent-of-somebody.mjs',
      'agent.mjs',
      'agent.previous.mjs',
      'update.json',
    ])
  })

  it.each([
    ['says nothing', STAYS, 'no_check_in'],
    ['says nothing that it understands', `process.send({ kind: 'hello' })\n${STAYS}`, 'no_check_in'],
    ['hangs', 'while (true);\n', 'no_check_in'],
    ['ends', 'process.exit(0)\n', 'ended'],
    ['is no program', 'this is no program\n', 'ended'],
  ])('that %s is put back and refused', async (_what, code, reason) => {
    expect(await attempt(candidate(NEW, code), { trialMs: 1_000 })).toBeNull()
    expect(readFileSync(program, 'utf8')).toBe(OLD)
    expect(readUpdateState(dataDir)).toMatchObject({
      trying: null,
      failed: { version: NEW, reason },
      refused: { [NEW]: reason },
    })
    expect(readdirSync(dataDir).sort()).toEqual(['agent.mjs', 'update.json'])
  })

  it('gets more time while the server cannot be reached', async () => {
    const isReachable = vi.fn(async () => isReachable.mock.calls.length > 2)
    expect(await attempt(candidate(NEW, STAYS), { isReachable })).toBeNull()
    expect(isReachable).toHaveBeenCalledTimes(3)
  })

  it('that was kept hands the next one over, and takes over again when that fails', async () => {
    const next = candidate(NEWER, '')
    const begun = join(dataDir, 'begun')
    // Hands over once, when what was left of other versions is cleaned up; started again, it ends as an agent that was stopped.
    const kept = `import { existsSync, writeFileSync } from 'node:fs'
process.send({ kind: 'checked_in' })
if (existsSync(${JSON.stringify(begun)})) process.exit(7)
writeFileSync(${JSON.stringify(begun)}, '')
const timer = setInterval(() => {
  if (existsSync(${JSON.stringify(next.file)})) return
  clearInterval(timer)
  writeFileSync(${JSON.stringify(next.file)}, 'process.exit(1)\\n')
  process.send({ kind: 'candidate', candidate: ${JSON.stringify(next)} }, () => setTimeout(() => process.exit(0), 500))
}, 20)
`
    const code = await attempt(candidate(NEW, kept), { isService: false, trialMs: 20_000 })
    expect(code).toBe(7)
    expect(readFileSync(program, 'utf8')).toBe(kept)
    expect(readUpdateState(dataDir)).toMatchObject({ current: NEW, refused: { [NEWER]: 'ended' } })
  })

  it('is ended with the agent that tries it', async () => {
    let stop: () => void = () => undefined
    const ending = attempt(candidate(NEW, `process.on('SIGTERM', () => process.exit(5))\n${STAYS}`), {
      trialMs: 60_000,
      onStop: (end) => {
        stop = end
      },
    })
    await new Promise((done) => setTimeout(done, 1_000))
    stop()
    expect(await ending).toBe(5)
    // Nothing was learned about it.
    expect(readUpdateState(dataDir)).toMatchObject({ failed: null, trying: { version: NEW, attempts: 1 } })
  })
})

describe('what a device wants to run', () => {
  const updater = (running = '0.9.0+cccccccccccc') =>
    new Updater({
      version: running,
      url: 'http://127.0.0.1:9',
      dataDir,
      program,
      signingKey: null,
      onReady: () => undefined,
    })

  it('is told to the server until it is known how it went', () => {
    expect(updater().news).toBeNull()
    const state = { trying: null, failed: null, refused: {}, current: null, newest: null }
    writeUpdateState(dataDir, { ...state, trying: { version: NEW, attempts: 1 } })
    expect(updater().news).toEqual({ state: 'updating', version: NEW })
    writeUpdateState(dataDir, { ...state, failed: { version: NEW, reason: 'ended' } })
    expect(updater().news).toEqual({ state: 'failed', version: NEW, reason: 'ended' })
  })

  it('is never asked for by an agent that runs from its sources', () => {
    const asked = vi.spyOn(globalThis, 'fetch')
    updater(SOURCE_VERSION).want(NEWER)
    expect(asked).not.toHaveBeenCalled()
  })

  it('is no version that failed here, nor one that was interrupted three times', async () => {
    const release = {
      ...{ version: NEW, sha256: '', size: 1, signature: '', public_key: '' },
      published_at: '2026-11-25T10:00:00.000Z',
    }
    const asked = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(release))
    const state = { trying: null, failed: null, refused: {}, current: null, newest: null }
    writeUpdateState(dataDir, { ...state, trying: { version: NEW, attempts: 3 } })
    const one = updater()
    one.want(NEW)
    // Asked while it is fetched.
    one.want(NEW)
    await eventually(() => expect(readUpdateState(dataDir).refused).toEqual({ [NEW]: 'interrupted' }))
    expect(one.news).toEqual({ state: 'failed', version: NEW, reason: 'interrupted' })
    expect(asked).toHaveBeenCalledTimes(1)
    updater().want(NEW)
    expect(asked).toHaveBeenCalledTimes(1)
  })

  it('is left for later where the server serves another one, or none, by now', async () => {
    const asked = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('away'))
    const one = updater()
    one.want(NEWER)
    await eventually(() => expect(process.stderr.write).toHaveBeenCalled())
    // Not with every check-in.
    await new Promise((done) => setTimeout(done, 0))
    one.want(NEWER)
    expect(asked).toHaveBeenCalledTimes(1)
    expect([one.candidate, one.news]).toEqual([null, null])
  })
})
