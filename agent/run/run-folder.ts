import { linkSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ensureFolder, isRecord, readJson, textFile, writeDurably } from '../files'
import { isAlive, type ProcessId, thisProcess, toProcessId } from '../process-id'
import type { Result } from '../protocol'
import type { RunMarks } from './process-tree'

export type StopReason = 'timed_out' | 'cancelled' | 'interrupted'

/** The process that executes a run's script, and its deadline. */
interface Claim extends ProcessId {
  attempt: number
  /** In ms; null for a claim that forbids a late supervisor to start the script. */
  deadline: number | null
}

/** After its deadline a supervisor still stops the script and writes the result. */
const DEADLINE_GRACE_MS = 60_000

const terminalsIn = (dataDir: string): string => join(dataDir, 'terminals')

/** Forgets the working directories of terminal sessions whose last command is older. */
export function pruneTerminals(dataDir: string, before: number): void {
  const folder = terminalsIn(dataDir)
  ensureFolder(folder)
  for (const name of readdirSync(folder)) {
    const changed = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (changed < before) rmSync(join(folder, name), { force: true })
  }
}

/** How agent and supervisor of one run talk, across a restart of the agent: small files in the run's own folder. */
export class RunFolder {
  constructor(
    readonly runId: string,
    readonly path: string,
  ) {}

  /** Working directory of the script, apart from the files here, which a script could otherwise overwrite. */
  get scriptFolder(): string {
    return join(this.path, 'files')
  }

  /** Keeps the working directory of a terminal session, for all of its commands. */
  terminalFile(session: string): string {
    const folder = terminalsIn(dirname(dirname(this.path)))
    ensureFolder(folder)
    return join(folder, session)
  }

  get marks(): RunMarks {
    return { runId: this.runId, folder: this.scriptFolder, file: join(this.path, 'mark') }
  }

  /**
   * The first to claim a run decides whether its script starts: a supervisor claims it to start the script, a
   * restarted agent to keep a late supervisor from doing so.
   * @returns false when it was claimed, or the folder is gone
   */
  claim(attempt: number, timeoutSeconds: number | null): boolean {
    const deadline = timeoutSeconds === null ? null : Date.now() + timeoutSeconds * 1000
    const draft = join(this.path, `claim.${process.pid}`)
    try {
      writeFileSync(draft, JSON.stringify({ ...thisProcess(), attempt, deadline }), { mode: 0o600 })
      linkSync(draft, join(this.path, 'claim'))
      return true
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST' || code === 'ENOENT') return false
      throw error
    } finally {
      rmSync(draft, { force: true })
    }
  }

  readClaim(): Claim | null {
    const value = readJson(join(this.path, 'claim'))
    const process = toProcessId(value)
    if (process === null || !isRecord(value) || typeof value.attempt !== 'number') return null
    return {
      ...process,
      attempt: value.attempt,
      deadline: typeof value.deadline === 'number' ? value.deadline : null,
    }
  }

  isSupervised({ deadline, ...process }: Claim): boolean {
    if (deadline === null || !isAlive(process)) return false
    // Where the system does not tell when a process started, the pid may be another program's.
    return process.started !== null || Date.now() < deadline + DEADLINE_GRACE_MS
  }

  requestStop(reason: StopReason): void {
    writeFileSync(join(this.path, 'stop'), reason, { mode: 0o600 })
  }

  get stopRequest(): StopReason | null {
    const text = textFile(join(this.path, 'stop'))
    return text === 'cancelled' || text === 'interrupted' || text === 'timed_out' ? text : null
  }

  /** @throws when the disk does not take it whole */
  writePrinted(text: string): void {
    const draft = join(this.path, 'printed.draft')
    writeFileSync(draft, text, { mode: 0o600 })
    renameSync(draft, join(this.path, 'printed'))
  }

  /** Reads the last excerpt of the script's output, if it was written after `since`, in ms. */
  readPrinted(since: number): { text: string; at: number } | null {
    const path = join(this.path, 'printed')
    const at = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    const text = at > since ? textFile(path) : null
    return text === null ? null : { text, at }
  }

  /** @throws when the disk does not take it whole */
  writeResult(result: Result): void {
    writeDurably(join(this.path, 'result.json'), JSON.stringify(result))
  }

  readResult(): Result | null {
    const value = readJson(join(this.path, 'result.json'))
    return isRecord(value) && value.run_id === this.runId ? (value as unknown as Result) : null
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
