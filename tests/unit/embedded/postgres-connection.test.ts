import { type AddressInfo, createServer } from 'node:net'
import { setImmediate as nextRound } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { connectPostgres } from '../../../supabase/embedded/database/postgres-connection.mjs'

afterEach(() => void vi.useRealTimers())

it('does not call a server that closes each connection without a word forever', async () => {
  const server = createServer((socket) => void socket.destroy())
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const failed = vi.fn<(error: { code: string }) => void>()
  try {
    const { driver } = connectPostgres(`postgres://nobody@127.0.0.1:${port}/none`, 1)
    driver.reserve().catch(failed)
    for (let second = 0; second < 16; second++) {
      await vi.advanceTimersByTimeAsync(1_000)
      for (let round = 0; round < 20; round++) await nextRound()
    }
    expect(failed.mock.calls[0]?.[0].code).toMatch(/^CONNECT/)
  } finally {
    server.close()
  }
})
