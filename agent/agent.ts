import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Api, Refused, Unreachable } from './api'
import type { Identity } from './identity'
import type { InventorySource } from './inventory/inventory'
import { LoadHistory } from './inventory/load-history'
import { Journal } from './journal'
import { log } from './log'
import { MonitorWatch } from './monitors/watch'
import { type Offer, toCheckInAnswer } from './protocol'
import { Reporter } from './reporter'
import { CONCURRENCY, Executor } from './run/executor'
import { pruneTerminals } from './run/run-folder'
import type { Updater } from './update/updater'
import { AGENT_VERSION } from './version'

const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 120_000
/** A removed device keeps asking, but rarely: the removal may be a mistake that is corrected. */
const REFUSED_RETRY_MS = 15 * 60_000
const STOP_PATIENCE_MS = 10_000
const DAY_MS = 24 * 3_600_000
/** Within this time a changed monitor is told: many devices may notice the same at once. */
const NEWS_MS = 3_000
/** The pause between check-ins while a command of an open terminal runs. Its end ends the pause. */
const BUSY_TERMINAL_MS = 600
/** How often what running scripts print is sent: soon at first, when somebody waits for it. */
const PRINT_MS = 2_000
const LATER_PRINT_MS = 10_000
const SOON_PRINTS = 15

/** Why the server will never take a request as it is. @throws any other error */
function refusalOf(error: unknown): string {
  if (error instanceof Refused && [400, 413, 422].includes(error.status)) return error.message
  throw error
}

/** Random, so that a fleet that lost its server does not return all at once. */
const jittered = (ms: number): number => ms * (0.8 + Math.random() * 0.4)

interface Parts {
  api: Api
  identity: Identity
  machineId: string
  dataDir: string
  inventory: InventorySource
  /** The file of this program, which also supervises runs. */
  program: string
  updater: Updater
  /** The server has answered a check-in. */
  onCheckedIn: () => void
}

/** Checks in, runs what it is given, reports. One a data directory. */
export class Agent {
  private readonly journal: Journal
  private readonly executor: Executor
  private readonly reporter: Reporter
  private readonly parts: Parts
  private readonly monitors: MonitorWatch
  private readonly load = new LoadHistory()
  private monitorsHash: string | null = null
  /** Tells two machines apart that have the same identity, because one is a copy of the other. */
  private readonly instance = randomUUID()
  /** The inventory that the server does not take. */
  private refusedHash: string | null = null
  private wantsInventory = false
  private hasTerminal = false
  /** Runs of the agent's own tasks: what they change is on the console soon after. */
  private readonly tasks = new Set<string>()
  private intervalMs = 5_000
  private failures = 0
  private isStopping = false
  /** The runs of this agent now belong to another agent. */
  hasLeft = false
  private isUnwelcome = false
  /** The last check-in filled every place, so the server may hold more. */
  private mayWaitMore = false
  private prunedAt = 0
  private isWoken = false
  private endSleep: () => void = () => undefined

  constructor(parts: Parts) {
    this.parts = parts
    this.journal = new Journal(join(parts.dataDir, 'runs'))
    this.reporter = new Reporter(parts.api, parts.identity, this.journal)
    const events = {
      onStarted: (offer: Offer) => {
        if (offer.type === 'Agent') this.tasks.add(offer.runId)
        this.reporter.hasStarted(offer.runId, offer.attempt)
        this.report()
      },
      onResult: (runId: string) => {
        // A script may have installed something.
        parts.inventory.touch(this.tasks.delete(runId))
        this.report()
        if (this.hasTerminal) this.wake()
      },
    }
    this.executor = new Executor(this.journal, parts.dataDir, events, parts.program)
    this.executor.recover()
    this.monitors = new MonitorWatch(parts.inventory.metrics, () =>
      setTimeout(() => this.wake(), Math.random() * NEWS_MS).unref(),
    )
    this.followOutput()
  }

  /** Until stop() or leave(), or until another version is to be tried. */
  async run(): Promise<void> {
    while (!this.isOver) {
      await this.cycle()
      if (this.isOver) return
      await this.sleep(this.pauseMs())
    }
  }

  /**
   * Does one check-in, executes the runs it brings, and reports them.
   * @throws Refused, Unreachable
   */
  async runOnce(): Promise<void> {
    await this.checkIn()
    // The first response may request the inventory, which only the next check-in sends.
    if (this.wantsInventory) await this.checkIn()
    await this.executor.idle()
    await this.reporter.flush()
  }

  /** Ends running scripts, tells the server if it listens, and lets run() return. */
  async stop(): Promise<void> {
    this.isStopping = true
    this.monitors.stop()
    this.load.stop()
    this.wake()
    // With a limit: a supervisor that cannot write its result waits for the disk, even without the agent.
    await Promise.race([this.executor.stopAll(), new Promise((done) => setTimeout(done, STOP_PATIENCE_MS))])
    await this.flushSoon()
  }

  /** Reports what is known, and leaves the runs under way to the agent that takes this one's place. */
  async leave(): Promise<void> {
    this.isStopping = true
    this.hasLeft = true
    this.executor.detach()
    this.monitors.stop()
    this.load.stop()
    this.wake()
    await this.flushSoon()
  }

  get isStopped(): boolean {
    return this.isStopping
  }

  private get isOver(): boolean {
    return this.isStopping || this.parts.updater.candidate !== null
  }

  private flushSoon(): Promise<void> {
    return Promise.race([
      this.reporter.flush().catch(() => undefined),
      new Promise<void>((done) => setTimeout(done, 3_000)),
    ])
  }

  private pauseMs(): number {
    if (this.isUnwelcome) return jittered(REFUSED_RETRY_MS)
    if (this.failures === 0) return jittered(this.intervalMs)
    return jittered(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.failures - 1, 10)))
  }

  /** Does one check-in and reports whatever waits to be reported; never throws. */
  private async cycle(): Promise<void> {
    try {
      if (Date.now() - this.prunedAt > DAY_MS) {
        this.journal.prune(Date.now())
        pruneTerminals(this.parts.dataDir, Date.now() - DAY_MS)
        this.prunedAt = Date.now()
      }
      // Separate from the check-in: a megabyte of output on a slow line must not make the device look
      // offline.
      if (!this.reporter.isEmpty) this.report()
      await this.checkIn()
      if (this.failures > 0 || this.isUnwelcome) log('The server responds again.')
      this.failures = 0
      this.isUnwelcome = false
    } catch (error) {
      this.failures++
      this.explain(error)
    }
  }

  private async checkIn(): Promise<void> {
    const { api, identity, machineId, inventory } = this.parts
    const current = await inventory.current()
    const running = this.executor.runningIds
    // With a script under way it would not hear of a cancellation.
    const waits = this.hasTerminal && running.length === 0
    const news = this.monitors.news
    const samples = this.load.due(this.intervalMs / 1000)
    const update = this.parts.updater.news
    const base = {
      device_id: identity.deviceId,
      secret: identity.secret,
      machine_id: machineId,
      agent_version: AGENT_VERSION,
      instance: this.instance,
      metrics: await inventory.metrics(),
      inventory_hash: current.hash,
      running,
      monitors_hash: this.monitorsHash,
      ...(waits ? { wait: true } : {}),
      ...(update ? { update } : {}),
    }
    const states = { monitor_states: news, ...(samples.length > 0 ? { samples } : {}) }
    const ask = (more: object) => api.call('agent_check_in', { ...base, ...more })
    const sendsInventory = this.wantsInventory && current.hash !== this.refusedHash
    const answer = toCheckInAnswer(
      await ask({ ...states, ...(sendsInventory ? { inventory: current.inventory } : {}) })
        .catch((error: unknown) => {
          if (!sendsInventory) throw error
          const reason = refusalOf(error)
          log(`The server does not take the inventory: ${reason}`)
          this.refusedHash = current.hash
          return ask({ ...states, inventory_refused: reason })
        })
        // A state or a figure that the server cannot read must not keep the device from its jobs.
        .catch((error: unknown) => {
          log(`The server does not take what this device measured: ${refusalOf(error)}`)
          return ask({})
        }),
    )
    this.parts.onCheckedIn()
    this.monitors.confirm(news)
    this.load.confirm(samples)
    this.load.follow(answer.serverTime)
    if (answer.monitors && !this.isStopping) {
      this.monitorsHash = answer.monitors.hash
      this.monitors.replace(answer.monitors.list)
    }
    this.intervalMs = answer.intervalSeconds * 1_000
    const isFirstAsked = answer.wantsInventory && !this.wantsInventory
    this.wantsInventory = answer.wantsInventory
    for (const runId of answer.cancel) this.executor.cancel(runId)
    for (const offer of answer.offers) if (!this.isStopping) this.executor.take(offer)
    this.mayWaitMore = running.length + answer.offers.length >= CONCURRENCY
    if (answer.update !== null) this.parts.updater.want(answer.update)
    this.hasTerminal = answer.hasTerminal
    if (answer.hasTerminal && (answer.isHeld || !waits))
      this.intervalMs = running.length + answer.offers.length > 0 ? BUSY_TERMINAL_MS : 0
    // It asks for the inventory: do not let it wait for a whole interval; but ask again only at the usual pace.
    if (isFirstAsked) this.intervalMs = 0
  }

  /** Sends what running scripts have printed, until stop(). */
  private followOutput(sent = 0): void {
    const timer = setTimeout(
      () => {
        if (this.isStopping) return
        const printed = this.executor.printed()
        for (const { runId, attempt, output } of printed) this.reporter.hasPrinted(runId, attempt, output)
        if (printed.length > 0 && this.failures === 0) this.report()
        this.followOutput(this.executor.runningIds.length === 0 ? 0 : sent + Number(printed.length > 0))
      },
      sent < SOON_PRINTS ? PRINT_MS : LATER_PRINT_MS,
    )
    timer.unref()
  }

  /** Sends what the journal holds, now; when that fails, the next check-in tries again. */
  private report(): void {
    this.reporter
      .flush()
      .then(() => {
        if (!this.mayWaitMore || this.executor.runningIds.length === CONCURRENCY) return
        this.mayWaitMore = false
        this.wake()
      })
      .catch((error: unknown) => {
        if (this.failures > 0) return
        this.failures = 1
        this.explain(error)
      })
  }

  private explain(error: unknown): void {
    if (error instanceof Refused && error.status === 401) {
      if (!this.isUnwelcome)
        log(
          `The server no longer knows this device (${error.message}) It was removed, or enrolled again from elsewhere. ` +
            'To bring it back, enroll it with a new token from the Agents page. Until then the agent checks only occasionally.',
        )
      this.isUnwelcome = true
    } else if (error instanceof Unreachable) {
      if (this.failures <= 1) log(`The server cannot be reached (${error.message}). The agent keeps trying.`)
    } else log(`The check-in failed: ${error instanceof Error ? error.message : String(error)}`)
  }

  /** Ends the pause, or the next one: what wakes the agent may happen in the middle of a check-in. */
  wake(): void {
    this.isWoken = true
    this.endSleep()
  }

  private async sleep(ms: number): Promise<void> {
    await new Promise<void>((done) => {
      if (this.isWoken) return done()
      const timer = setTimeout(done, ms)
      this.endSleep = () => {
        clearTimeout(timer)
        done()
      }
    })
    this.isWoken = false
  }
}
