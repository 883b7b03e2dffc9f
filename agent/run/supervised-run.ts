import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { ensureFolder, isRecord } from '../files'
import { log } from '../log'
import type { Offer, Result } from '../protocol'
import { signalTree } from './process-tree'
import type { RunFolder, StopReason } from './run-folder'
import { interrupted, notStarted } from './run-script'

const POLL_MS = 250
/** How long a supervisor that the killed agent had just started may take to claim its run. */
const CLAIM_WAIT_MS = 3_000
/** A supervisor holds 2 MB of output and little else. */
const NODE_FLAGS = ['--max-old-space-size=64']

/** A run in progress, whichever agent process started it. */
export interface SupervisedRun {
  /** Null when the script provably never started, and never will by this supervisor. */
  result: Promise<Result | null>
  /** Kills the script's whole tree; the result then says why. */
  stop: (reason: StopReason) => void
}

function stopper(folder: RunFolder, pidOf: () => number | undefined): SupervisedRun['stop'] {
  return (reason) => {
    try {
      folder.requestStop(reason)
    } catch (error) {
      log(
        `Run ${folder.runId} is stopped by a signal, because its folder cannot be written: ${String(error)}`,
      )
      const pid = pidOf()
      if (pid !== undefined) process.kill(pid, 'SIGTERM')
    }
  }
}

/** When the supervisor is gone, a run without a result counts as interrupted: nobody knows how it ended. */
function outcomeOf(folder: RunFolder, attempt: number): Result {
  const result = folder.readResult()
  if (result) return result
  signalTree(null, folder.marks, 'SIGKILL')
  return interrupted(folder.runId, attempt)
}

function parsedResult(line: string): Result | null {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? (value as unknown as Result) : null
  } catch {
    return null
  }
}

/** Starts the supervisor of a run: this same program, detached, so that the end of the agent is not its end. */
export function superviseRun(offer: Offer, folder: RunFolder, program: string): SupervisedRun {
  let child: ReturnType<typeof spawn>
  try {
    ensureFolder(folder.path)
    const { NODE_OPTIONS: _debugging, ...env } = process.env
    child = spawn(process.execPath, [...NODE_FLAGS, program, 'supervise', folder.path], {
      // Not a stream of the agent: a reader of its log would wait for the supervisor to end.
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      windowsHide: true,
      env,
    })
  } catch (error) {
    return { result: Promise.resolve(notStarted(offer, error)), stop: () => undefined }
  }
  const result = new Promise<Result>((done) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const end = chunk.includes('\n') ? text.indexOf('\n') : -1
      if (end < 0) return
      const told = parsedResult(text.slice(0, end))
      if (told) done(told)
    })
    child.once('error', (error) => done(notStarted(offer, error)))
    child.once('close', () =>
      done(
        folder.readClaim() === null
          ? notStarted(offer, 'its supervisor ended at once')
          : outcomeOf(folder, offer.attempt),
      ),
    )
  })
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(JSON.stringify(offer))
  return { result, stop: stopper(folder, () => child.pid) }
}

/**
 * Follows a run that an earlier agent began: its supervisor may still be at work, or have left the result. `isSameBoot`
 * says that the machine was not restarted since, so that a missing claim means that there never was one.
 */
export function adoptRun(folder: RunFolder, attempt: number, isSameBoot: boolean): SupervisedRun {
  const since = Date.now()
  const look = (): { result: Result | null } | 'wait' => {
    const claim = folder.readClaim()
    if (claim && folder.isSupervised(claim)) {
      const result = folder.readResult()
      return result ? { result } : 'wait'
    }
    if (!claim && existsSync(folder.path)) {
      if (Date.now() - since < CLAIM_WAIT_MS) return 'wait'
      if (folder.claim(attempt, null)) return { result: isSameBoot ? null : outcomeOf(folder, attempt) }
      // Lost to a supervisor that claimed it just now: the next look finds its claim.
      if (existsSync(folder.path)) return 'wait'
    }
    return { result: outcomeOf(folder, attempt) }
  }
  const result = new Promise<Result | null>((done) => {
    const poll = (): void => {
      const found = look()
      if (found === 'wait') setTimeout(poll, POLL_MS)
      else done(found.result)
    }
    poll()
  })
  return { result, stop: stopper(folder, () => folder.readClaim()?.pid) }
}
