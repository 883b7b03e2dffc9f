import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Journal, UNKNOWN_ATTEMPT } from '../journal'
import { log } from '../log'
import { bootId } from '../process-id'
import type { Offer, Result } from '../protocol'
import { RunFolder } from './run-folder'
import { interrupted, refuse } from './run-script'
import { adoptRun, type SupervisedRun, superviseRun } from './supervised-run'

/** How many scripts run at once; more wait at the server. */
export const CONCURRENCY = 4

interface Events {
  onStarted: (offer: Offer) => void
  /** The journal holds a result that the server does not have. */
  onResult: (runId: string) => void
}

/** Runs what the server offers, each at most once in the life of the machine: the journal decides. */
export class Executor {
  private readonly running = new Map<string, SupervisedRun>()
  private readonly printedAt = new Map<string, number>()
  private isDetached = false

  constructor(
    private readonly journal: Journal,
    private readonly dataDir: string,
    private readonly events: Events,
    /** The program that starts a supervisor. */
    private readonly program: string,
  ) {}

  /** Continues the runs of an earlier agent: their supervisors may still be working, or have left results. */
  recover(): void {
    const begun = new Map(this.journal.begun().map((entry) => [entry.runId, entry]))
    const boot = bootId()
    const folders = foldersIn(join(this.dataDir, 'work'))
    for (const name of folders)
      if (!begun.has(name)) rmSync(join(this.dataDir, 'work', name), { recursive: true, force: true })
    for (const [runId, entry] of begun) {
      const folder = this.folderOf(runId)
      const attempt = entry.attempt === UNKNOWN_ATTEMPT ? folder.readClaim()?.attempt : entry.attempt
      if (attempt === undefined) {
        log(`The journal entry of run ${runId} cannot be read, so the run is not started.`)
        // Nor by a supervisor that comes late.
        folder.remove()
        continue
      }
      const run = adoptRun(folder, attempt, boot !== null && entry.boot === boot)
      log(`Run ${runId} was in progress when the agent stopped.`)
      this.follow(runId, run)
    }
  }

  get runningIds(): string[] {
    return [...this.running.keys()]
  }

  take(offer: Offer): void {
    if (this.running.has(offer.runId)) return
    const known = this.journal.get(offer.runId)
    if (known && known.attempt >= offer.attempt) {
      // Offered again because its lease lapsed. What the journal holds is the answer, whatever it is.
      if (known.state === 'begun') this.record(interrupted(offer.runId, offer.attempt))
      else {
        this.journal.reopen(offer.runId)
        this.events.onResult(offer.runId)
      }
      return
    }
    // Left unanswered: the lease lapses and it is offered again.
    if (this.running.size >= CONCURRENCY) return
    const refusal = refuse(offer)
    if (refusal) {
      log(`Run ${offer.runId} was refused: ${refusal.reason}.`)
      this.record(refusal)
      return
    }
    try {
      this.journal.begin(offer.runId, offer.attempt)
    } catch (error) {
      log(`Run ${offer.runId} is not started, because the journal cannot be written: ${String(error)}`)
      return
    }
    this.follow(offer.runId, superviseRun(offer, this.folderOf(offer.runId), this.program))
    log(`Run ${offer.runId} started (${offer.type}).`)
    this.events.onStarted(offer)
  }

  /** Returns the output of running scripts that changed since the last call. */
  printed(): { runId: string; attempt: number; output: string }[] {
    return this.runningIds.flatMap((runId) => {
      const attempt = this.journal.get(runId)?.attempt
      const printed = this.folderOf(runId).readPrinted(this.printedAt.get(runId) ?? 0)
      if (attempt === undefined || attempt === UNKNOWN_ATTEMPT || printed === null) return []
      this.printedAt.set(runId, printed.at)
      return [{ runId, attempt, output: printed.text }]
    })
  }

  cancel(runId: string): void {
    this.running.get(runId)?.stop('cancelled')
  }

  /** Leaves runs to their supervisors, for another agent that takes this one's place. */
  detach(): void {
    this.isDetached = true
  }

  /** Ends everything, because the agent itself ends. */
  async stopAll(): Promise<void> {
    const scripts = [...this.running.values()]
    for (const script of scripts) script.stop('interrupted')
    await Promise.all(scripts.map((script) => script.result))
  }

  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all([...this.running.values()].map((script) => script.result))
  }

  private folderOf(runId: string): RunFolder {
    return new RunFolder(runId, join(this.dataDir, 'work', runId))
  }

  private follow(runId: string, run: SupervisedRun): void {
    this.running.set(runId, run)
    void run.result.then((result) => {
      if (this.isDetached) return
      this.running.delete(runId)
      this.printedAt.delete(runId)
      if (result === null) {
        this.journal.forget(runId)
        this.folderOf(runId).remove()
        log(`Run ${runId} was never started; it starts when the server offers it again.`)
        return
      }
      // A run is recorded before the log says that it ended, in case the agent is killed in between.
      this.record(result)
      log(
        `Run ${runId} ended: ${result.state}${result.exit_code == null ? '' : `, exit code ${result.exit_code}`}.`,
      )
    })
  }

  private record(result: Result): void {
    try {
      this.journal.finish(result)
      this.folderOf(result.run_id).remove()
    } catch (error) {
      // The folder stays: it may hold the result for the next agent.
      log(`The result of run ${result.run_id} could not be written to disk: ${String(error)}`)
    }
    this.events.onResult(result.run_id)
  }
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
