import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { WebSocket } from 'ws'
import { startServer } from '../../supabase/embedded/server'

export const DEMO_PASSWORD = 'Demo-Console-2026'

export interface TestBackend {
  url: string
  publishableKey: string
  serviceKey: string
  /** As the owner of everything, around row-level security. */
  sql: <R = Record<string, unknown>>(query: string, params?: readonly unknown[]) => Promise<R[]>
  /** A plain client: anonymous, or signed in with the demo password (or another). */
  client: (email?: string, password?: string) => Promise<SupabaseClient>
  stop: () => Promise<void>
}

export interface TestBackendOptions {
  demo?: boolean
  rateLimitFactor?: number
}

/** A backend of this test file's own, in memory, on a port nobody else has. */
export async function testBackend({
  demo = true,
  rateLimitFactor = 1000,
}: TestBackendOptions = {}): Promise<TestBackend> {
  const server = await startServer({
    port: 0,
    host: '127.0.0.1',
    dataDir: 'memory://',
    demo,
    serveDist: null,
    rateLimitFactor,
    timers: false,
    log: () => undefined,
  })
  const anonymous = () =>
    createClient(server.url, server.publishableKey, {
      auth: { persistSession: false, autoRefreshToken: false },
      realtime: { transport: WebSocket as never },
    })
  return {
    url: server.url,
    publishableKey: server.publishableKey,
    serviceKey: server.serviceKey,
    sql: server.query,
    client: async (email, password = DEMO_PASSWORD) => {
      const client = anonymous()
      if (!email) return client
      const { error } = await client.auth.signInWithPassword({ email, password })
      if (error) throw new Error(`${email} cannot sign in: ${error.message}`)
      return client
    },
    stop: server.stop,
  }
}
