import { join } from 'node:path'
import type { Journal } from '../journal'
import { log } from '../log'
import type { Offer, Result } from '../protocol'
import { signalTree } from './process-tree'
import { interrupted, type RunningScript, refuse, runScript } from './run-script'

/** How many scripts run at once; more wait at the server. */
export const CONCURRENCY = 4

interface Events {
  onStarted: (offer: Offer) => void
  /** The journal holds a result that the server does not have. */
  onResult: () => void
}

/** Runs what the server offers, each at most once in the life of the machine: the journal decides. */
export class Executor {
  private readonly running = new Map<string, RunningScript>()

  constructor(
    private readonly journal: Journal,
    private readonly dataDir: string,
    private readonly events: Events,
  ) {}

  /** Runs a killed agent left behind: their processes are ended, and their results say that nobody knows. */
  recover(): void {
    for (const { runId, attempt } of this.journal.begun()) {
      signalTree(null, runId, 'SIGKILL')
      this.record(interrupted(runId, attempt))
      log(`Run ${runId} was under way when the agent stopped; it is reported as interrupted.`)
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
      this.journal.reopen(offer.runId)
      this.events.onResult()
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
    const script = runScript(offer, join(this.dataDir, 'work'))
    this.running.set(offer.runId, script)
    log(`Run ${offer.runId} started (${offer.type}).`)
    this.events.onStarted(offer)
    void script.result.then((result) => {
      this.running.delete(offer.runId)
      // What the log says has ended is on the disk, whatever ends the agent next.
      this.record(result)
      log(
        `Run ${offer.runId} ended: ${result.state}${result.exit_code == null ? '' : `, exit code ${result.exit_code}`}.`,
      )
    })
  }

  cancel(runId: string): void {
    this.running.get(runId)?.stop('cancelled')
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

  private record(result: Result): void {
    try {
      this.journal.finish(result)
    } catch (error) {
      log(`The result of run ${result.run_id} could not be written to disk: ${String(error)}`)
    }
    this.events.onResult()
  }
}
