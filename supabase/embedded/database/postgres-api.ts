import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ROOT } from '../root'
import { within } from '../within'
import {
  type Api,
  type ApiAnswer,
  type ApiKeys,
  type ApiRequest,
  apiOf,
  movedBodies,
  type ThreadError,
} from './api-thread'

const WORKER = join(ROOT, 'supabase/embedded/database/postgres-worker.mjs')
/** Rows and JSON on their way. */
const HEAP_MB = 1024
/** Statements under way have this long to end. */
const CLOSE_MS = 800

interface Pending {
  resolve: (answer: ApiAnswer) => void
  reject: (error: unknown) => void
}

type Message = { id: number } & ({ answer: ApiAnswer } | { error: ThreadError })

/**
 * The API in its own thread with its own sessions, so that large JSON does not block others. A thread that
 * ends is replaced with the next request; PostgreSQL rolls back its open transactions.
 */
export function startPostgresApi(
  workerData: { url: string; sessions: number; keys: ApiKeys },
  log: (line: string) => void,
): Api & { close: () => Promise<void> } {
  const pending = new Map<number, Pending>()
  let worker: Worker | undefined
  let lastId = 0
  let isClosed = false

  function lost(ended: Worker, why: string): void {
    if (worker !== ended) return
    worker = undefined
    if (!isClosed) log(`The API thread failed (${why}) and is being restarted.`)
    const error = Object.assign(
      new Error(isClosed ? 'The database is closing' : 'The API thread failed and is restarted'),
      { code: isClosed ? '57P01' : 'XX000' },
    )
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
  }

  function start(): Worker {
    const started = new Worker(WORKER, {
      workerData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16 },
    })
    started.on('message', ({ id, ...message }: Message) => {
      const { resolve, reject } = pending.get(id) ?? {}
      pending.delete(id)
      if (pending.size === 0) started.unref()
      if ('answer' in message) resolve?.(message.answer)
      else reject?.(Object.assign(new Error(message.error.message), message.error))
    })
    started.on('error', (error) => lost(started, error.message))
    started.on('exit', () => lost(started, 'the thread ended'))
    return started
  }

  const send = (request: ApiRequest) =>
    new Promise<ApiAnswer>((resolve, reject) => {
      if (isClosed) {
        reject(Object.assign(new Error('The database is closing'), { code: '57P01' }))
        return
      }
      worker ??= start()
      const id = ++lastId
      pending.set(id, { resolve, reject })
      worker.ref()
      worker.postMessage({ id, request }, movedBodies(request))
    })

  return {
    ...apiOf(send),
    close: async () => {
      isClosed = true
      const open = worker
      if (!open) return
      const ended = new Promise((done) => open.once('exit', done))
      open.postMessage({ id: 0, request: { kind: 'close' } })
      await within(CLOSE_MS, ended)
      await open.terminate()
    },
  }
}
