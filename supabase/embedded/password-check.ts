import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

// bcrypt takes a tenth of a second of one core. In a separate thread, neither pages nor queries wait for it.
// As text, so that the built server needs no separate file.
const SOURCE = `
  const { parentPort, workerData } = require('node:worker_threads')
  const bcrypt = require(workerData)
  parentPort.on('message', ({ id, password, hash }) => {
    let isRight = false
    try { isRight = bcrypt.compareSync(password, hash) } catch {}
    parentPort.postMessage({ id, isRight })
  })`

/** The hash of a password nobody has, with the cost of every account's. */
const NOBODY = '$2b$10$eWG0SDK1ZQTHwzll6dVWT.llQhTpsayOduKmvEw5ilH9ctcjhiVUC'

interface Pending {
  resolve: (isRight: boolean) => void
  reject: (error: unknown) => void
}

const pending = new Map<number, Pending>()
let worker: Worker | undefined
let lastId = 0

function start(): Worker {
  const started = new Worker(SOURCE, {
    eval: true,
    workerData: createRequire(import.meta.url).resolve('bcryptjs'),
  })
  started.on('message', ({ id, isRight }: { id: number; isRight: boolean }) => {
    pending.get(id)?.resolve(isRight)
    pending.delete(id)
  })
  started.on('error', (error) => {
    worker = undefined
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
  })
  started.unref()
  return started
}

/**
 * Whether the password matches the hash. It takes the same time without a hash, so that the time does not
 * reveal who has an account.
 */
export function checkPassword(password: string, hash: string | null): Promise<boolean> {
  const id = ++lastId
  worker ??= start()
  const checking = new Promise<boolean>((resolve, reject) => pending.set(id, { resolve, reject }))
  worker.postMessage({ id, password, hash: hash ?? NOBODY })
  return checking.then((isRight) => isRight && hash !== null)
}
