import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureFolder, textFile } from '../files'
import type { FinalState, Offer, Result } from '../protocol'
import { ALREADY_INSTALLED } from '../tasks/corporate-app'
import { findInterpreter, isScriptType, soughtNames, TERMINAL_VARIABLE } from './interpreters'
import { OutputStream, secretPatterns } from './mask'
import { OutputBuffer } from './output'
import { RUN_MARK, signalTree } from './process-tree'
import type { RunFolder, StopReason } from './run-folder'

/** How long a script may clean up after the polite signal. */
const GRACE_MS = 2_000
/** How long output of a process left behind is waited for, once the script itself has ended. */
const DRAIN_MS = 1_000

export interface RunningScript {
  result: Promise<Result>
  /** The script's output so far, without a part that may be the beginning of a secret. */
  printed: OutputBuffer
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
      `This agent does not support scripts of type ${offer.type.slice(0, 40)}.`,
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

/** Where the last command of a terminal session ended, or the home directory, as in any shell. */
function terminalFolder(file: string): string {
  const left = textFile(file)?.replace(/^\uFEFF|\r?\n$/g, '')
  const isFolder = (path: string): boolean =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  return [left, homedir()].find((path) => path !== undefined && path !== '' && isFolder(path)) ?? tmpdir()
}

/** Starts a script in a temporary folder, which is removed when the script ends. */
export function runScript(offer: Offer, runFolder: RunFolder): RunningScript {
  const interpreter = isScriptType(offer.type) ? findInterpreter(offer.type) : null
  const output = new OutputBuffer()
  const ended = (result: Result) => ({
    result: Promise.resolve(result),
    printed: output,
    stop: () => undefined,
  })
  if (!interpreter) return ended(refusal(offer, 'no_interpreter', ''))
  const { scriptFolder: folder, marks } = runFolder
  const startedAt = new Date()
  const patterns = secretPatterns(offer)
  const streams = { out: new OutputStream(patterns, output), error: new OutputStream(patterns, output) }
  let stopped: StopReason | null = null

  let child: ReturnType<typeof spawn>
  try {
    ensureFolder(folder)
    const file = join(folder, `script.${interpreter.extension}`)
    writeFileSync(file, interpreter.text(offer.script), { mode: 0o600 })
    const terminal = offer.terminal ? runFolder.terminalFile(offer.terminal) : null
    const mark = openSync(marks.file, 'w', 0o600)
    try {
      child = spawn(
        interpreter.path,
        terminal === null ? interpreter.args(file) : interpreter.terminalArgs(file),
        {
          cwd: terminal === null ? folder : terminalFolder(terminal),
          env: {
            ...scriptEnvironment(offer, process.env),
            ...(terminal === null ? {} : { [TERMINAL_VARIABLE]: terminal }),
          },
          stdio: ['ignore', 'pipe', 'pipe', ...(process.platform === 'linux' ? [mark] : [])],
          // The process gets its own group and session, so that the whole tree can be killed.
          detached: process.platform !== 'win32',
          windowsHide: true,
          windowsVerbatimArguments: offer.type === 'Batch',
        },
      )
    } finally {
      closeSync(mark)
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    return ended(notStarted(offer, error))
  }
  const pid = child.pid ?? null
  let force: NodeJS.Timeout | undefined
  let tree: number[] = []
  const stop = (reason: StopReason): void => {
    if (stopped) return
    stopped = reason
    tree = signalTree(pid, marks, 'SIGTERM')
    force = setTimeout(() => signalTree(pid, marks, 'SIGKILL', tree), GRACE_MS)
  }
  const timeout = setTimeout(() => stop('timed_out'), Math.max(1, offer.timeoutSeconds) * 1000)
  child.stdout?.on('data', (chunk: Buffer) => streams.out.add(chunk))
  child.stderr?.on('data', (chunk: Buffer) => streams.error.add(chunk))

  const result = new Promise<Result>((done) => {
    let isOver = false
    const finish = (code: number | null, signal: string | null, failure?: Error): void => {
      if (isOver) return
      isOver = true
      clearTimeout(timeout)
      clearTimeout(force)
      // The script ended, or followed SIGTERM; its child processes may still run.
      if (stopped) signalTree(pid, marks, 'SIGKILL', tree)
      child.stdout?.destroy()
      child.stderr?.destroy()
      rmSync(folder, { recursive: true, force: true })
      streams.out.end()
      streams.error.end()
      const state: FinalState = stopped ?? (code === 0 && !failure ? 'succeeded' : 'failed')
      if (failure) output.add(Buffer.from(`The script could not be started: ${failure.message}\n`))
      else if (!stopped && signal) output.add(Buffer.from(`\nThe script was ended by ${signal}.\n`))
      done({
        run_id: offer.runId,
        attempt: offer.attempt,
        state,
        exit_code: code,
        ...output.text(),
        ...(failure ? { reason: 'start_failed' as const } : {}),
        ...(state === 'failed' && offer.type === 'Agent' && code === ALREADY_INSTALLED
          ? { reason: 'already_installed' as const }
          : {}),
        started_at: startedAt.toISOString(),
        finished_at: new Date().toISOString(),
      })
    }
    child.once('error', (error) => finish(null, null, error))
    child.once('exit', (code, signal) => {
      // A background process may hold the pipes indefinitely.
      const drained = setTimeout(() => finish(code, signal), DRAIN_MS)
      child.once('close', () => {
        clearTimeout(drained)
        finish(code, signal)
      })
    })
  })
  return { result, printed: output, stop }
}

export const notStarted = (offer: Offer, error: unknown): Result =>
  refusal(offer, 'start_failed', `The script could not be started: ${String(error)}`)

/** The result of a run whose end nobody saw. */
export const interrupted = (runId: string, attempt: number): Result => ({
  run_id: runId,
  attempt,
  state: 'interrupted',
  exit_code: null,
  output:
    'The device or its agent stopped while this script was running, so its result is unknown. It was not started again.',
  truncated: false,
  reason: 'interrupted',
})
