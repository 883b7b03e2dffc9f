import type { EventEmitter } from 'node:events'
import { setImmediate as nextRound } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { startPostgresApi } from '../../../supabase/embedded/database/postgres-api'

interface Thread extends EventEmitter {
  asked: number[]
}
const threads = vi.hoisted(() => [] as Thread[])

vi.mock('node:worker_threads', async (load) => {
  const { EventEmitter } = await import('node:events')
  class Worker extends EventEmitter implements Thread {
    asked: number[] = []
    constructor() {
      super()
      threads.push(this)
    }
    ref() {}
    unref() {}
    postMessage({ id }: { id: number }) {
      this.asked.push(id)
    }
    async terminate() {
      this.emit('exit', 1)
    }
  }
  return { ...(await load<object>()), Worker }
})
afterEach(() => void threads.splice(0))

function start() {
  const log = vi.fn<(line: string) => void>()
  const keys = { jwtSecret: '', publishableKey: '', secretKey: '' }
  return { log, api: startPostgresApi({ url: '', sessions: 1, keys }, log) }
}

/** Called with the code of the error, so that a request without an answer holds up no test. */
function refusalOf(request: Promise<unknown>) {
  const refused = vi.fn<(code: string) => void>()
  request.catch(({ code }) => refused(code))
  return refused
}

it('answers every request of a thread that fails, and starts another for the next', async () => {
  const { log, api } = start()
  const refused = [refusalOf(api.foreignKeys()), refusalOf(api.foreignKeys())]
  threads[0]?.emit('error', new Error('out of memory'))
  threads[0]?.emit('exit', 1)
  await nextRound()
  for (const code of refused) expect(code).toHaveBeenCalledWith('XX000')
  expect(log.mock.calls).toEqual([['The API thread failed (out of memory) and is being restarted.']])

  const answered = api.foreignKeys()
  threads[1]?.emit('message', { id: threads[1].asked[0], answer: { foreignKeys: [] } })
  expect(await answered).toEqual([])
  expect(threads).toHaveLength(2)
})

it('answers pending requests when the server ends, and accepts no more', async () => {
  const { log, api } = start()
  const open = refusalOf(api.foreignKeys())
  const closing = api.close()
  threads[0]?.emit('exit', 0)
  await closing
  const late = refusalOf(api.foreignKeys())
  await nextRound()
  for (const code of [open, late]) expect(code).toHaveBeenCalledWith('57P01')
  expect(log).not.toHaveBeenCalled()
})
