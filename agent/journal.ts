import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureFolder, isRecord, readJson, writeDurably } from './files'
import { log } from './log'
import { bootId } from './process-id'
import type { Result } from './protocol'

/**
 * The local record of a run. `begun` is on the disk before the script starts, so that whatever happens next the script
 * is never started a second time; `done` holds the result until the server has it; `settled` remembers that it does.
 */
export interface Entry {
  runId: string
  attempt: number
  state: 'begun' | 'done' | 'settled'
  at: number
  /** The boot of the machine in which the run was begun, where the system tells. */
  boot?: string
  result?: Result
}

/**
 * The attempt of an entry that cannot be read: higher than any offer, so that the run is never started. It counts as
 * begun, because a script that may have run must not run twice.
 */
export const UNKNOWN_ATTEMPT = Number.MAX_SAFE_INTEGER
const ENTRY_NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.json$/

/** Long past the day a server could still offer a run again (jobs expire within 31 days). */
const KEEP_MS = 60 * 24 * 3_600_000

/** Each run has a file: a damaged file spoils one entry, and no entry is rewritten because of another. */
export class Journal {
  private readonly entries = new Map<string, Entry>()

  constructor(private readonly folder: string) {
    ensureFolder(folder)
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      const runId = ENTRY_NAME.exec(name)?.[1]
      if (runId !== undefined) {
        const entry = toEntry(readJson(path))
        this.entries.set(
          runId,
          entry?.runId === runId
            ? entry
            : { runId, attempt: UNKNOWN_ATTEMPT, state: 'begun', at: Date.now() },
        )
      }
      // Half-written drafts of a killed process; the run they were about has its older entry.
      else if (name.endsWith('.new')) rmSync(path, { force: true })
    }
  }

  get(runId: string): Entry | undefined {
    return this.entries.get(runId)
  }

  /** Returns only when it is on the disk. */
  begin(runId: string, attempt: number): void {
    const boot = bootId()
    this.put({ runId, attempt, state: 'begun', at: Date.now(), ...(boot === null ? {} : { boot }) })
  }

  /** Only for a run whose script provably never started: when it is offered again, it starts. */
  forget(runId: string): void {
    rmSync(this.path(runId), { force: true })
    this.entries.delete(runId)
  }

  /** On a full disk this throws, and the result still waits in memory. */
  finish(result: Result): void {
    this.put({ runId: result.run_id, attempt: result.attempt, state: 'done', at: Date.now(), result })
  }

  /** The server has it, or will never take it. How it ended stays known; the output need not lie here any longer. */
  settle(runId: string): void {
    const entry = this.entries.get(runId)
    if (entry?.state !== 'done' || !entry.result) return
    const { output: _sent, ...result } = entry.result
    try {
      this.put({ ...entry, state: 'settled', result })
    } catch (error) {
      // The older entry stays on the disk: after a restart the result is sent once more, which the server refuses.
      log(`The journal could not be written for run ${runId}: ${String(error)}`)
    }
  }

  /** To be sent once more. In memory only: after a restart the server offers the run again if it still asks. */
  reopen(runId: string): void {
    const entry = this.entries.get(runId)
    if (entry?.state === 'settled' && entry.result) this.entries.set(runId, { ...entry, state: 'done' })
  }

  /** Started, and without a result. */
  begun(): Entry[] {
    return [...this.entries.values()].filter((entry) => entry.state === 'begun')
  }

  /** Results the server does not have yet, oldest first. */
  waiting(): Result[] {
    return [...this.entries.values()]
      .filter((entry) => entry.state === 'done')
      .sort((a, b) => a.at - b.at)
      .flatMap((entry) => (entry.result ? [entry.result] : []))
  }

  prune(now: number): void {
    for (const entry of this.entries.values()) {
      if (entry.state !== 'settled' || now - entry.at < KEEP_MS) continue
      this.entries.delete(entry.runId)
      rmSync(this.path(entry.runId), { force: true })
    }
  }

  private put(entry: Entry): void {
    // A begin that did not reach the disk must not count as begun; everything later counts even so.
    if (entry.state !== 'begun') this.entries.set(entry.runId, entry)
    writeDurably(this.path(entry.runId), JSON.stringify(entry))
    this.entries.set(entry.runId, entry)
  }

  private path(runId: string): string {
    return join(this.folder, `${runId}.json`)
  }
}

function toEntry(value: unknown): Entry | null {
  if (!isRecord(value)) return null
  const { runId, attempt, state, at, boot, result } = value
  if (typeof runId !== 'string' || typeof attempt !== 'number' || typeof at !== 'number') return null
  if (state !== 'begun' && state !== 'done' && state !== 'settled') return null
  return {
    runId,
    attempt,
    state,
    at,
    ...(typeof boot === 'string' ? { boot } : {}),
    ...(isRecord(result) ? { result: result as unknown as Result } : {}),
  }
}
