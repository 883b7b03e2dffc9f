import { Hono } from 'hono'
import { afterEach, expect, it, vi } from 'vitest'
import type { Backend, Env } from '../../../supabase/embedded/http/context'
import { refusalLog } from '../../../supabase/embedded/http/refusals'

afterEach(() => void vi.useRealTimers())

it('is left unwritten at the end of the server when the database does not answer soon', async () => {
  vi.useFakeTimers()
  const query = vi.fn(() => new Promise(() => undefined))
  const log = refusalLog({
    core: { database: { query } },
    keys: { jwtSecret: 'a secret of this test' },
    trustedProxies: 0,
    log: () => undefined,
  } as unknown as Backend)
  const app = new Hono<Env>()
  app.use(log.middleware)
  app.get('*', (c) => c.body(null, 401))
  const incoming = { socket: { remoteAddress: '203.0.113.50' }, headers: {} }
  await app.request('/rest/v1/devices', {}, { incoming } as never)
  const closed = vi.fn()
  const closing = log.close().then(closed)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(query).toHaveBeenCalledOnce()
  expect(closed).toHaveBeenCalledOnce()
  await closing
})
