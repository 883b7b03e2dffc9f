import { type Api, Refused, Unreachable } from './api'
import type { Identity } from './identity'
import type { Journal } from './journal'
import { log } from './log'
import { type Result, settledRuns } from './protocol'
import { shortened } from './run/output'

/** The server takes 64 results and 4 MB; smaller parts get through slow lines and proxies. */
const MAX_RESULTS = 32
const MAX_BYTES = 1_200_000
/**
 * An output too large for the server, or for a proxy before it, is cut to these sizes in turn: nginx takes 1 MB unless
 * told otherwise, and control characters grow sixfold in JSON.
 */
const SHORTER_BYTES = [786_432, 262_144]

/** Results that go into one request: as many as fit, at least one. */
export function nextBatch(results: readonly Result[]): Result[] {
  const batch: Result[] = []
  let bytes = 0
  for (const result of results) {
    bytes += Buffer.byteLength(JSON.stringify(result))
    if (batch.length > 0 && (batch.length >= MAX_RESULTS || bytes > MAX_BYTES)) break
    batch.push(result)
  }
  return batch
}

/** Brings results to the server, oldest first, and keeps each until the server has answered for it. */
export class Reporter {
  private readonly started = new Map<string, Result>()
  private flushing: Promise<void> | null = null

  constructor(
    private readonly api: Api,
    private readonly identity: Identity,
    private readonly journal: Journal,
  ) {}

  /** Best effort: a lost start affects only the status shown until the result arrives. */
  hasStarted(runId: string, attempt: number): void {
    this.started.set(runId, { run_id: runId, attempt, state: 'running' })
  }

  /** Best effort too: the result brings all of it. */
  hasPrinted(runId: string, attempt: number, output: string): void {
    this.started.set(runId, { run_id: runId, attempt, state: 'running', output })
  }

  get isEmpty(): boolean {
    return this.journal.waiting().length === 0
  }

  /**
   * Sends all there is; a second call while one is under way joins it.
   * @throws Refused when the credentials are not valid, Unreachable when the server is
   */
  flush(): Promise<void> {
    this.flushing ??= this.send().finally(() => {
      this.flushing = null
    })
    return this.flushing
  }

  private async send(): Promise<void> {
    for (;;) {
      const waiting = this.journal.waiting()
      const ended = new Set(waiting.map((result) => result.run_id))
      const starts = [...this.started.values()].filter((start) => !ended.has(start.run_id))
      this.started.clear()
      const batch = nextBatch([...starts, ...waiting])
      if (batch.length === 0) return
      await this.deliver(batch)
    }
  }

  private async deliver(batch: Result[]): Promise<void> {
    const { deviceId: device_id, secret } = this.identity
    let answer: Record<string, unknown>
    try {
      answer = await this.api.call('agent_report', {
        device_id,
        secret,
        results: batch,
        // Tells how long ago a script ended, whatever this machine's clock says.
        time: new Date().toISOString(),
      })
    } catch (error) {
      if (!(error instanceof Refused) || (error.status !== 400 && error.status !== 413)) throw error
      // A result that the server cannot take must not block all others.
      if (batch.length > 1) {
        for (const result of batch) await this.deliver([result])
        return
      }
      const [only] = batch
      if (!only || only.state === 'running') return
      if (only.output === undefined) {
        log(`The server does not accept the result of run ${only.run_id}: ${error.message}`)
        this.journal.settle(only.run_id)
        return
      }
      const { output, ...bare } = only
      const size = Buffer.byteLength(output)
      const shorter = SHORTER_BYTES.find((bytes) => bytes < size)
      await this.deliver([
        shorter === undefined ? bare : { ...bare, output: shortened(output, shorter), truncated: true },
      ])
      return
    }
    const { accepted, refused } = settledRuns(answer)
    for (const runId of accepted) this.settle(runId, batch)
    for (const [runId, reason] of refused) {
      if (this.settle(runId, batch)) log(`The server refused the result of run ${runId}: ${reason}.`)
    }
    const finals = batch.filter((result) => result.state !== 'running')
    if (finals.some(({ run_id }) => !accepted.includes(run_id) && !refused.has(run_id)))
      throw new Unreachable('the server did not answer for every result')
  }

  /** Whether it was a result, and not the news of a start, that the server answered for. */
  private settle(runId: string, batch: readonly Result[]): boolean {
    const isFinal = batch.some((result) => result.run_id === runId && result.state !== 'running')
    if (isFinal) this.journal.settle(runId)
    return isFinal
  }
}
