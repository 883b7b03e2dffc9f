import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isRecord, writeDurably } from '../files'
import { log } from '../log'
import type { UpdateFailure } from './release'
import { readUpdateState, refuseVersion, writeUpdateState } from './update-state'
import type { Candidate } from './updater'

/** How long an agent that is asked to end may take: it reports first. */
const END_MS = 15_000
/** As `candidateFile` names them, and as no file of somebody else's is named. */
const CANDIDATE = /^agent-\d+\.\d+\.\d+-[0-9a-f]{12}\.mjs$/

/** A message from an agent to the agent that started it, which may be of another version. */
type Message = { kind: 'checked_in' } | { kind: 'candidate'; candidate: Candidate }

/** Sends a message to the agent that started this one, if any. */
export function tellParent(message: Message): Promise<void> {
  return new Promise((done) => {
    if (process.connected && process.send) process.send(message, () => done())
    else done()
  })
}

interface Parts {
  dataDir: string
  /** The file that is started when the machine starts: always a version that has checked in from here. */
  program: string
  /** Arguments of the program, without a token. */
  args: readonly string[]
  trialMs: number
  /** Whether something starts this program again when it ends. */
  isService: boolean
  /** Whether the server answers: what cannot be reached says nothing of a version. */
  isReachable: () => Promise<boolean>
  /** Told how to end everything, when this program is asked to end. */
  onStop: (stop: () => void) => void
}

interface Running {
  child: ChildProcess
  hasCheckedIn: Promise<'checked_in'>
  /** The exit code, and the version that it has fetched and leaves to its parent. */
  ended: Promise<{ code: number; candidate: Candidate | null }>
}

function toMessage(value: unknown): Message | null {
  if (!isRecord(value)) return null
  if (value.kind === 'checked_in') return { kind: 'checked_in' }
  const { candidate } = value
  if (value.kind !== 'candidate' || !isRecord(candidate)) return null
  const { version, publishedAt, file } = candidate
  return typeof version === 'string' && typeof publishedAt === 'string' && typeof file === 'string'
    ? { kind: 'candidate', candidate: { version, publishedAt, file } }
    : null
}

function startAgent(file: string, args: readonly string[]): Running {
  const child = spawn(process.execPath, [...process.execArgv, file, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Ctrl+C reaches this process, which passes it on.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  let candidate: Candidate | null = null
  const hasCheckedIn = new Promise<'checked_in'>((done) => {
    child.on('message', (value) => {
      const message = toMessage(value)
      if (message?.kind === 'checked_in') done('checked_in')
      if (message?.kind === 'candidate') candidate = message.candidate
    })
  })
  const ended = new Promise<{ code: number; candidate: Candidate | null }>((done) => {
    child.once('error', () => done({ code: 1, candidate: null }))
    child.once('exit', (code) => {
      const tell = (): void => done({ code: code ?? 1, candidate })
      // The child's last messages may still be in the channel.
      if (child.connected) child.once('disconnect', tell)
      else tell()
    })
  })
  return { child, hasCheckedIn, ended }
}

/** Asks for the end by closing the channel, which leaves runs alone, or by a signal, which ends them; `kill` asks nobody. */
async function end({ child, ended }: Running, how: 'leave' | 'stop' | 'kill'): Promise<void> {
  if (how === 'kill') child.kill('SIGKILL')
  else if (how === 'leave' && child.connected) child.disconnect()
  else child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), END_MS)
  await ended
  clearTimeout(force)
}

/** Null once it has checked in. */
async function tryOut(running: Running, { trialMs, isReachable }: Parts): Promise<UpdateFailure | null> {
  for (;;) {
    let timer: NodeJS.Timeout | undefined
    const verdict = await Promise.race([
      running.hasCheckedIn,
      running.ended,
      new Promise<'late'>((done) => {
        timer = setTimeout(() => done('late'), trialMs)
      }),
    ])
    clearTimeout(timer)
    if (verdict === 'checked_in') return null
    if (verdict !== 'late') return 'ended'
    if (await isReachable()) return 'no_check_in'
    log('The server cannot be reached, so the new version gets more time.')
  }
}

/** From now on this version starts with the machine; the one before stays beside it. */
function keep({ version, publishedAt, file }: Candidate, { dataDir, program }: Parts): void {
  copyFileSync(program, join(dirname(program), 'agent.previous.mjs'))
  writeDurably(program, readFileSync(file))
  const state = readUpdateState(dataDir)
  writeUpdateState(dataDir, { ...state, trying: null, failed: null, current: version, newest: publishedAt })
  // A run that it starts needs the file it was started from; those of earlier versions need none.
  for (const name of readdirSync(dirname(program)))
    if (CANDIDATE.test(name) && name !== basename(file)) rmSync(join(dirname(program), name), { force: true })
  log(`This agent was updated to ${version}.`)
}

/** Null once it is in its place. */
function kept(candidate: Candidate, parts: Parts): UpdateFailure | null {
  try {
    keep(candidate, parts)
    return null
  } catch (error) {
    log(`Version ${candidate.version} cannot be put in its place: ${String(error)}`)
    return 'not_writable'
  }
}

/**
 * Runs a new version in place of this program, which waits meanwhile. A version that does not check in in time is ended
 * and refused from then on. One that does is kept, and this program stays as its parent, for a foreground or background
 * agent has nothing else that would start it again; as a service it ends instead.
 * @returns the exit code; null when this program is to go on as the agent
 */
export async function tryVersion(first: Candidate, parts: Parts): Promise<number | null> {
  const { dataDir, program, args, isService } = parts
  let next: Candidate | null = first
  let hasUpdated = false
  let isStopping = false
  for (;;) {
    const running: Running = startAgent(next?.file ?? program, args)
    parts.onStop(() => {
      isStopping = true
      void end(running, 'stop')
    })
    if (next) {
      const state = readUpdateState(dataDir)
      const attempts = (state.trying?.attempts ?? 0) + 1
      writeUpdateState(dataDir, { ...state, trying: { version: next.version, attempts } })
      const failure = (await tryOut(running, parts)) ?? kept(next, parts)
      if (isStopping) return (await running.ended).code
      if (failure) {
        await end(running, 'kill')
        rmSync(next.file, { force: true })
        refuseVersion(dataDir, next.version, failure)
        log(`Version ${next.version} is not kept (${failure}), so the one before is put back.`)
        if (!hasUpdated) return null
        next = null
        continue
      }
      hasUpdated = true
      if (isService) {
        await end(running, 'leave')
        return 0
      }
    }
    const { code, candidate } = await running.ended
    if (isStopping || !candidate) return code
    next = candidate
  }
}
