import type { EventEmitter } from 'node:events'
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

it('answers every request of a thread that fails, and starts another for the next', async () => {
  const { log, api } = start()
  const lost = [api.foreignKeys(), api.foreignKeys()].map((request) =>
    expect(request).rejects.toMatchObject({ code: 'XX000' }),
  )
  threads[0]?.emit('error', new Error('out of memory'))
  threads[0]?.emit('exit', 1)
  await Promise.all(lost)
  expect(log.mock.calls).toEqual([['The API thread failed (out of memory) and is being restarted.']])

  const answered = api.foreignKeys()
  threads[1]?.emit('message', { id: threads[1].asked[0], answer: { foreignKeys: [] } })
  expect(await answered).toEqual([])
  expect(threads).toHaveLength(2)
})

it('answers what is under way when the server ends, and takes nothing more', async () => {
  const { log, api } = start()
  const open = expect(api.foreignKeys()).rejects.toMatchObject({ code: '57P01' })
  const closing = api.close()
  threads[0]?.emit('exit', 0)
  await open
  await closing
  await expect(api.foreignKeys()).rejects.toMatchObject({ code: '57P01' })
  expect(log).not.toHaveBeenCalled()
})
