// @ts-check
// The thread that answers the API on PostgreSQL. Plain JavaScript: it starts without a TypeScript loader.
import { parentPort, workerData } from 'node:worker_threads'
import { plainError } from './errors.mjs'
import { connectPostgres } from './postgres-connection.mjs'
import { createThreadApi } from './thread-api.mjs'

if (!parentPort) throw new Error('This file runs as a worker thread only.')
const port = parentPort
const { url, sessions, keys } = workerData
const connection = connectPostgres(url, sessions)
const answer = createThreadApi(() => connection, keys, true)

port.on(
  'message',
  async (
    /** @type {{ id: number, request: import('./api-thread').ApiRequest | { kind: 'close' } }} */ {
      id,
      request,
    },
  ) => {
    try {
      if (request.kind === 'close') {
        await connection.driver.end({ timeout: 0.6 })
        process.exit(0)
      }
      const answered = await answer(request)
      const bodies = [answered.rest?.body?.buffer, answered.device?.body.buffer]
      port.postMessage(
        { id, answer: answered },
        bodies.filter((body) => body !== undefined),
      )
    } catch (error) {
      port.postMessage({ id, error: plainError(error) })
    }
  },
)
