import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ROOT } from '../root'
import { within } from '../within'
import { type ApiAnswer, type ApiKeys, type ApiRequest, movedBodies, type ThreadError } from './api-thread'
import { SERVER_BUDGET, statementBudget } from './budget.mjs'
import type { Row } from './database'

const WORKER = join(ROOT, 'supabase/embedded/database/pglite-worker.mjs')

/**
 * Three times what the main thread has. PGlite's own stack, in its linear memory, holds about four times as much: the
 * thread's must end first, since that error is found before any memory is written.
 */
const STACK_MB = 8
/** Rows on their way out; Postgres' own memory is not in it. */
const HEAP_MB = 1024
/** Rows live for a moment: more room only keeps them longer. */
const YOUNG_HEAP_MB = 16
/** How long a closing engine waits for the statement under way, and then for the shutdown itself. */
const CLOSE_MS = 600
/** Between attempts to open a database that did not open. */
const RETRY_MS = 1_000

export type Request =
  | { kind: 'query'; sql: string; params: readonly unknown[]; begins?: boolean }
  | { kind: 'exec'; sql: string }
  | { kind: 'script'; sql: string; role: string | null }
  | { kind: 'listen'; channel: string }
  | { kind: 'dump' }
  | { kind: 'close' }
  | ApiRequest

export interface Answer extends ApiAnswer {
  rows?: Row[]
  affectedRows?: number
  dump?: ArrayBuffer
}

/** Messages of the thread: answers to the current request, and its own events. */
export type Message =
  | { ready: true }
  | { failed: string }
  | { fatal: string }
  | { channel: string; payload: string }
  /** A request of the API runs a statement with this budget; null once it has ended. */
  | { statement: number | null }
  | { answer: Answer }
  | { error: ThreadError }

export type EngineState = 'ready' | 'busy' | 'restarting' | 'down'

interface Listener {
  channel: string
  onMessage: (payload: string) => void
  onGap?: () => void
}

export interface EngineOptions {
  /** A directory, or `memory://`. */
  dataDir: string
  /** A packed data directory, unpacked instead of running initdb. */
  snapshot?: Uint8Array
  /** Needed for the API alone. */
  keys?: ApiKeys
  log: (line: string) => void
}

const databaseError = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code, severity: 'ERROR' })

const closing = () => databaseError('57P01', 'The database is closing')

let compiled: Promise<WebAssembly.Module> | undefined

/** Compiled once a process and shared with every thread. */
function postgresModule(): Promise<WebAssembly.Module> {
  const file = join(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')), 'pglite.wasm')
  compiled ??= readFile(file).then((bytes) => WebAssembly.compile(bytes))
  return compiled
}

/**
 * PGlite in its own thread, so that no statement blocks the server and any can be stopped: PGlite has no
 * `statement_timeout`. When a statement exceeds its budget, or PGlite breaks, the thread is ended and a new
 * one opens the same directory through Postgres' crash recovery. A database in memory would be lost, so it
 * stays down and has no budgets.
 */
export class Engine {
  readonly #options: EngineOptions
  readonly #listeners: Listener[] = []
  #worker: Promise<Worker>
  #thread: Worker | undefined
  /** Settles the request under way. */
  #settle: ((message: Message) => void) | undefined
  /** Gives the request under way so many milliseconds from now on. */
  #allow: ((milliseconds: number) => void) | undefined
  #tail: Promise<unknown> = Promise.resolve()
  #generation = 0
  #state: EngineState = 'restarting'
  #downSince = 0
  #closing = false

  private constructor(options: EngineOptions) {
    this.#options = options
    this.#worker = this.#spawn(options.snapshot)
  }

  static async open(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options)
    await engine.#worker
    engine.#state = 'ready'
    return engine
  }

  get state(): EngineState {
    return this.#state === 'ready' && this.#settle ? 'busy' : this.#state
  }

  /** Names the thread now at work, once there is one: a transaction ends with the thread it began in. */
  async session(): Promise<number> {
    await this.#available()
    return this.#generation
  }

  /**
   * Sends one request at a time, in order.
   * @param session what `session()` gave; the request is refused when that thread is gone.
   * @throws the database's error; 57014 when the budget ran out, 57P01 when the session has ended.
   */
  send(request: Request, session?: number): Promise<Answer> {
    const budget = this.#inMemory ? Number.POSITIVE_INFINITY : statementBudget()
    return this.#inTurn(() => this.#ask(request, budget, session))
  }

  /** `onGap` runs when messages may have been missed. */
  async listen(channel: string, onMessage: (payload: string) => void, onGap?: () => void): Promise<void> {
    const isNew = !this.#listeners.some((listener) => listener.channel === channel)
    this.#listeners.push({ channel, onMessage, onGap })
    if (isNew) await this.send({ kind: 'listen', channel })
  }

  /** Waits a moment for the statement under way, then ends it. */
  async close(): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    const worker = await this.#worker.catch(() => undefined)
    this.#state = 'down'
    if (worker) {
      const idle = await within(CLOSE_MS, this.#tail)
      if (idle)
        await within(
          CLOSE_MS,
          this.#exchange(worker, { kind: 'close' }).catch(() => undefined),
        )
      await worker.terminate()
    }
  }

  get #inMemory(): boolean {
    return this.#options.dataDir === 'memory://'
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const next = this.#tail.then(task)
    this.#tail = next.catch(() => undefined)
    return next
  }

  async #available(): Promise<Worker> {
    if (this.#closing) throw closing()
    if (this.#state === 'down' && !this.#inMemory && Date.now() - this.#downSince > RETRY_MS) this.#restart()
    try {
      return await this.#worker
    } catch (error) {
      throw databaseError('57P03', `The database is not available: ${(error as Error).message}`)
    }
  }

  async #ask(request: Request, budget: number, session: number | undefined): Promise<Answer> {
    const worker = await this.#available()
    if (session !== undefined && session !== this.#generation)
      throw databaseError('57P01', 'The database was restarted during the transaction')
    let timer: NodeJS.Timeout | undefined
    let allowed = budget
    const timeout = new Promise<Message>((resolve) => {
      this.#allow = (milliseconds) => {
        clearTimeout(timer)
        allowed = milliseconds
        if (!Number.isFinite(milliseconds)) return
        timer = setTimeout(
          () =>
            resolve({ error: { code: '57014', message: 'canceling statement due to statement timeout' } }),
          milliseconds,
        )
      }
      this.#allow(budget)
    })
    const answer = this.#exchange(worker, request)
    const message = await Promise.race([answer, timeout])
    clearTimeout(timer)
    this.#allow = undefined
    if ('answer' in message) return message.answer
    if ('error' in message) {
      const { code, message: text, ...fields } = message.error
      if (code === '57014' && this.#thread === worker) {
        this.#options.log(
          `A statement took longer than ${allowed / 1000} s. The database is being restarted.`,
        )
        this.#restart()
      }
      throw Object.assign(new Error(text), { code, ...fields })
    }
    if (this.#closing) throw closing()
    const fatal = 'fatal' in message ? message.fatal : 'the thread ended'
    throw fatal.startsWith('RangeError')
      ? databaseError('54001', 'stack depth limit exceeded')
      : databaseError('XX000', 'The database engine failed and is restarted')
  }

  /** Keeps the process alive until the answer is here, and not longer. */
  async #exchange(worker: Worker, request: Request): Promise<Message> {
    worker.ref()
    try {
      return await new Promise<Message>((settle) => {
        this.#settle = settle
        worker.postMessage(request, 'request' in request || 'body' in request ? movedBodies(request) : [])
      })
    } finally {
      this.#settle = undefined
      worker.unref()
    }
  }

  async #spawn(snapshot?: Uint8Array): Promise<Worker> {
    const wasm = await postgresModule()
    const worker = new Worker(WORKER, {
      workerData: { dataDir: this.#options.dataDir, keys: this.#options.keys, wasm, snapshot },
      execArgv: [],
      resourceLimits: {
        stackSizeMb: STACK_MB,
        maxOldGenerationSizeMb: HEAP_MB,
        maxYoungGenerationSizeMb: YOUNG_HEAP_MB,
      },
    })
    this.#thread = worker
    await new Promise<void>((resolve, reject) => {
      worker.on('message', (message: Message) => {
        if ('ready' in message) resolve()
        else if ('failed' in message) reject(new Error(message.failed))
        else if ('channel' in message) this.#notify(message)
        else if ('statement' in message) this.#onStatement(worker, message.statement)
        else if ('fatal' in message) this.#lost(worker, message.fatal)
        else this.#settle?.(message)
      })
      worker.on('error', (error) => {
        reject(error)
        this.#lost(worker, error.message)
      })
      worker.on('exit', () => {
        reject(new Error('The database thread ended while it started'))
        this.#lost(worker, 'the thread ended')
      })
    })
    worker.unref()
    return worker
  }

  /** Between its statements, a request of the API has as long as one of the server's. */
  #onStatement(worker: Worker, budget: number | null): void {
    if (this.#thread === worker && !this.#inMemory) this.#allow?.(budget ?? SERVER_BUDGET)
  }

  #notify({ channel, payload }: { channel: string; payload: string }): void {
    for (const listener of this.#listeners) if (listener.channel === channel) listener.onMessage(payload)
  }

  /** The thread ended unexpectedly. */
  #lost(worker: Worker, why: string): void {
    if (this.#thread !== worker) return
    const settle = this.#settle
    // During a start, the error goes to the caller of the start.
    if (!this.#closing && this.#state !== 'restarting') {
      this.#options.log(`The database engine failed (${why}) and is being restarted.`)
      this.#restart()
    }
    settle?.({ fatal: why })
  }

  #restart(): void {
    const old = this.#thread
    this.#thread = undefined
    this.#settle = undefined
    this.#generation++
    this.#state = 'restarting'
    this.#worker = this.#reopen(old)
    this.#worker.catch((error: unknown) => {
      this.#state = 'down'
      this.#downSince = Date.now()
      this.#options.log(`The database cannot be opened: ${(error as Error).message}`)
    })
  }

  async #reopen(old: Worker | undefined): Promise<Worker> {
    // Before the next one opens: never two on one directory.
    await old?.terminate()
    if (this.#inMemory) throw new Error('It was in memory, and is lost with the engine that held it')
    const worker = await this.#spawn()
    for (const channel of new Set(this.#listeners.map((listener) => listener.channel))) {
      const message = await this.#exchange(worker, { kind: 'listen', channel })
      if (!('answer' in message)) throw new Error(`It does not listen to ${channel}`)
    }
    this.#state = 'ready'
    for (const listener of this.#listeners) listener.onGap?.()
    return worker
  }
}
