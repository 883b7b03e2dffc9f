import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { TestRunner } from 'vitest'
import { patience } from '../../support/patience'
import { agentFolder } from './program'

/**
 * Programs that these machines have in place of the system's: to read the updates and the hundreds of packages of the
 * machine that runs the tests, and to store them, takes longer than all else that an agent does in a test.
 */
const programs = mkdtempSync(join(tmpdir(), 'konsol-agent-programs-'))
const place = (folder: string, name: string, script: string) => {
  mkdirSync(join(programs, folder), { recursive: true })
  writeFileSync(join(programs, folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return join(programs, folder)
}
const noUpdates = place('updates', 'apt-get', 'exit 1')
const onePackage = place('packages', 'dpkg-query', `printf 'ii \\tbash\\tall\\t5.2\\tTest\\t1\\n'`)
process.once('exit', () => rmSync(programs, { recursive: true, force: true }))
/** Python itself: what version managers put in its place starts thirty programs before it. */
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout
const pathOf = (...folders: string[]) =>
  [...folders, ...(python ? [dirname(python)] : []), process.env.PATH].join(delimiter)
/** For a machine that reports the packages that the machine of the tests has. */
export const WITH_TRUE_PACKAGES = { PATH: pathOf(noUpdates) }

const started = new Set<ChildProcess>()
const folders = new Set<string>()

export interface RunningAgent {
  signal: (signal: NodeJS.Signals) => void
  /** All it has said so far. */
  log: () => string
  /** The exit code, once it ends; null after a signal. */
  ended: Promise<number | null>
  kill: (signal: NodeJS.Signals) => Promise<void>
}

/** A machine with a data directory of its own and an id of its own, on which an agent may be started. */
export class Machine {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'konsol-agent-data-'))

  constructor(readonly id = `test-${randomUUID()}`) {
    folders.add(this.dataDir)
  }

  /**
   * With `maxFileKb`, a write beyond so many kB is cut short, as on a full disk. `start` is what comes before the
   * arguments, where it is not the agent that is built once for all.
   */
  async start(
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
    maxFileKb: number | null = null,
    start?: readonly [string, ...string[]],
  ): Promise<RunningAgent> {
    const [file, ...before] = start ?? [process.execPath, join(await agentFolder(), 'agent.mjs')]
    const agent = [...before, ...args, '--data-dir', this.dataDir, '--machine-id', this.id]
    const [command, words] =
      maxFileKb === null
        ? [file, agent]
        : ['bash', ['-c', `ulimit -f ${maxFileKb}; exec "$@"`, 'bash', file, ...agent]]
    const child = spawn(command, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PATH: pathOf(noUpdates, onePackage), ...env },
    })
    started.add(child)
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk
    })
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk
    })
    const ended = new Promise<number | null>((done) => {
      child.once('close', (code) => {
        started.delete(child)
        done(code)
      })
    })
    return {
      signal: (signal) => void child.kill(signal),
      log: () => text,
      ended,
      kill: async (signal) => {
        child.kill(signal)
        await ended
      },
    }
  }

  /** Runs it to its end; for calls that are refused, and `--once`. */
  async finish(
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<{ code: number | null; log: string }> {
    const agent = await this.start(args, env)
    return { code: await agent.ended, log: agent.log() }
  }
}

/** For afterEach: no agent outlives its test. */
export async function stopMachines(): Promise<void> {
  const closing = [...started].map((child) => new Promise((done) => child.once('close', done)))
  for (const child of started) child.kill('SIGTERM')
  await Promise.all(closing)
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  folders.clear()
}

/** Waits until it holds, and ends a little before the limit of its test, so that it can say what it waited for. */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
): Promise<Exclude<T, null | undefined | false>> {
  const test = TestRunner.getCurrentTest()
  const begun = test?.result?.startTime ?? Date.now()
  const deadline = begun + (test?.timeout ?? patience(120_000)) - patience(5_000)
  for (;;) {
    const value = await probe()
    if (value !== null && value !== undefined && value !== false)
      return value as Exclude<T, null | undefined | false>
    if (Date.now() > deadline) throw new Error(`Waited in vain until ${what}.`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

export const processExists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
