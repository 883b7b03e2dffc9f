// @ts-check
// The thread that answers the API on PostgreSQL. Plain JavaScript: it starts without a TypeScript loader.
import { parentPort, workerData } from 'node:worker_threads'
import { plainError } from './errors.mjs'
import { connectPostgres } from './postgres-connection.mjs'
import { createThreadApi } from './thread-api.mjs'

if (!parentPort) throw new Error('This file runs as a worker thread only.')
const port = parentPort
const { url, sessions, keys } = workerData
const answer = createThreadApi(() => connectPostgres(url, sessions), keys, true)

port.on(
  'message',
  async (/** @type {{ id: number, request: import('./api-thread').ApiRequest }} */ { id, request }) => {
    try {
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
