import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureFolder } from '../files'
import type { FinalState, Offer, Result } from '../protocol'
import { findInterpreter, isScriptType, soughtNames } from './interpreters'
import { OutputBuffer } from './output'
import { RUN_MARK, signalTree } from './process-tree'

/** How long a script may clean up after the polite signal. */
const GRACE_MS = 2_000
/** How long output of a process left behind is waited for, once the script itself has ended. */
const DRAIN_MS = 1_000

export type StopReason = 'timed_out' | 'cancelled' | 'interrupted'

export interface RunningScript {
  result: Promise<Result>
  /** Kills the whole tree; the result then says why. */
  stop: (reason: StopReason) => void
}

const refusal = (offer: Offer, reason: Result['reason'], output: string): Result => ({
  run_id: offer.runId,
  attempt: offer.attempt,
  state: reason === 'start_failed' ? 'failed' : 'refused',
  exit_code: null,
  output,
  truncated: false,
  reason,
})

/** Why this machine will not run it, without starting anything; null when it will. */
export function refuse(offer: Offer): Result | null {
  if (createHash('sha256').update(offer.script, 'utf8').digest('hex') !== offer.sha256)
    return refusal(offer, 'hash_mismatch', 'The script does not match its checksum, so it was not run.')
  if (!isScriptType(offer.type))
    return refusal(
      offer,
      'no_interpreter',
      `This agent does not know scripts of the type ${offer.type.slice(0, 40)}.`,
    )
  if (!findInterpreter(offer.type))
    return refusal(
      offer,
      'no_interpreter',
      `This device has no interpreter for ${offer.type} (looked for ${soughtNames(offer.type)}).`,
    )
  return null
}

/** Parameters reach a script as PARAM_<NAME>; the agent's own variables do not. */
export function scriptEnvironment(offer: Offer, base: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {}
  for (const [name, value] of Object.entries(base))
    if (!/^(KONSOL_|PARAM_|NODE_OPTIONS$)/i.test(name)) env[name] = value
  for (const [name, value] of Object.entries(offer.parameters))
    if (/^[A-Za-z_]\w{0,63}$/.test(name))
      env[`PARAM_${name.toUpperCase()}`] = String(value).replaceAll('\0', '')
  return { ...env, PYTHONUNBUFFERED: '1', PYTHONIOENCODING: 'utf-8', [RUN_MARK]: offer.runId }
}

/** Shorter values would blacken half of an innocent output. */
const LEAST_MASKED = 4

/** A script that prints its password must not write it into the console's history. */
export function masked(output: string, offer: Offer): string {
  let text = output
  for (const name of offer.secrets) {
    const value = String(offer.parameters[name] ?? '')
    if (value.length >= LEAST_MASKED) text = text.replaceAll(value, '***')
  }
  return text
}

/** Starts a script in a folder of its own, which is gone when it has ended. */
export function runScript(offer: Offer, workDir: string): RunningScript {
  const interpreter = isScriptType(offer.type) ? findInterpreter(offer.type) : null
  if (!interpreter)
    return { result: Promise.resolve(refusal(offer, 'no_interpreter', '')), stop: () => undefined }
  const folder = join(workDir, offer.runId)
  const startedAt = new Date()
  const output = new OutputBuffer()
  let stopped: StopReason | null = null

  let child: ReturnType<typeof spawn>
  try {
    ensureFolder(folder)
    const file = join(folder, `script.${interpreter.extension}`)
    writeFileSync(file, interpreter.text(offer.script), { mode: 0o600 })
    child = spawn(interpreter.path, interpreter.args(file), {
      cwd: folder,
      env: scriptEnvironment(offer, process.env),
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its own process group (and session), so that the whole of it can be killed.
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: offer.type === 'Batch',
    })
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    return {
      result: Promise.resolve(
        refusal(offer, 'start_failed', `The script could not be started: ${String(error)}`),
      ),
      stop: () => undefined,
    }
  }
  const pid = child.pid ?? null
  let force: NodeJS.Timeout | undefined
  let tree: number[] = []
  const stop = (reason: StopReason): void => {
    if (stopped) return
    stopped = reason
    tree = signalTree(pid, offer.runId, 'SIGTERM')
    force = setTimeout(() => signalTree(pid, offer.runId, 'SIGKILL', tree), GRACE_MS)
  }
  const timeout = setTimeout(() => stop('timed_out'), Math.max(1, offer.timeoutSeconds) * 1000)
  child.stdout?.on('data', (chunk: Buffer) => output.add(chunk))
  child.stderr?.on('data', (chunk: Buffer) => output.add(chunk))

  const result = new Promise<Result>((done) => {
    let isOver = false
    const finish = (code: number | null, signal: string | null, failure?: Error): void => {
      if (isOver) return
      isOver = true
      clearTimeout(timeout)
      clearTimeout(force)
      // The script ended by itself or by the polite signal; what it started may have survived that.
      if (stopped) signalTree(pid, offer.runId, 'SIGKILL', tree)
      child.stdout?.destroy()
      child.stderr?.destroy()
      rmSync(folder, { recursive: true, force: true })
      const state: FinalState = stopped ?? (code === 0 && !failure ? 'succeeded' : 'failed')
      if (failure) output.add(Buffer.from(`The script could not be started: ${failure.message}\n`))
      else if (!stopped && signal) output.add(Buffer.from(`\nThe script was ended by ${signal}.\n`))
      const printed = output.text()
      done({
        run_id: offer.runId,
        attempt: offer.attempt,
        state,
        exit_code: code,
        output: masked(printed.output, offer),
        truncated: printed.truncated,
        ...(failure ? { reason: 'start_failed' as const } : {}),
        started_at: startedAt.toISOString(),
        finished_at: new Date().toISOString(),
      })
    }
    child.once('error', (error) => finish(null, null, error))
    child.once('exit', (code, signal) => {
      // A process left in the background may hold the pipes for ever.
      const drained = setTimeout(() => finish(code, signal), DRAIN_MS)
      child.once('close', () => {
        clearTimeout(drained)
        finish(code, signal)
      })
    })
  })
  return { result, stop }
}

/** For results that never were a process. */
export const interrupted = (runId: string, attempt: number): Result => ({
  run_id: runId,
  attempt,
  state: 'interrupted',
  exit_code: null,
  output:
    'The agent stopped while this script was running, so how it ended is not known. It was not started again.',
  truncated: false,
  reason: 'interrupted',
})
