import { EventEmitter } from 'node:events'
import type { HttpBindings } from '@hono/node-server'
import { vi } from 'vitest'
import { AgentReleases } from '../../supabase/embedded/agent-release'
import type { RestAnswer, RestRequest } from '../../supabase/embedded/database/api-thread'
import type { Exclusive } from '../../supabase/embedded/database/queue'
import { readDevice } from '../../supabase/embedded/database/thread-api.mjs'
import { createHttpApp } from '../../supabase/embedded/http/app'
import type { Backend } from '../../supabase/embedded/http/context'
import { refusalLog } from '../../supabase/embedded/http/refusals'

export const keys = {
  publishableKey: 'sb_publishable_x',
  secretKey: 'sb_secret_x',
  jwtSecret: 'a secret of this test alone',
}

type Query = (sql: string, parameters: string[]) => Promise<unknown[]>

/** The server's HTTP side over a database that says whether it was asked. */
export function httpServer({
  query = async () => [],
  opened,
  exclusive = (task) => task(),
  answer = async () => Response.json([]),
  ...options
}: Partial<Backend> & {
  query?: Query
  /** The promise that the queue waits for. */
  opened?: Promise<void>
  exclusive?: Exclusive
  /** The answer of lite. */
  answer?: (request: Request) => Promise<Response>
} = {}) {
  const log = vi.fn()
  const asked = vi.fn()
  const ended = { rows: [] as unknown[] }
  const executor = {
    transformQuery: (node: unknown) => node,
    compileQuery: (query: unknown) => ({ query, sql: '', parameters: [] }),
    executeQuery: async () => ended,
  }
  const backend = {
    core: {
      database: {
        kind: 'pglite',
        exclusive: async (task: () => Promise<unknown>) => {
          asked()
          await opened
          return exclusive(task)
        },
        query,
        api: {
          foreignKeys: async () => [],
          readDevice: async (body: Uint8Array<ArrayBuffer>) => readDevice(body),
          rest: async ({ url, method, headers, body }: RestRequest): Promise<RestAnswer> => {
            const said = await answer(new Request(url, { method, headers, body }))
            const text = await said.text()
            return {
              status: said.status,
              headers: [...said.headers],
              body: new TextEncoder().encode(text),
              code: said.ok ? null : (JSON.parse(text) as { code: string }).code,
            }
          },
        },
        connection: { kysely: { getExecutor: () => executor, withPlugin: () => undefined } },
      },
      api: { fetch: answer },
    },
    ready: Promise.resolve(),
    keys,
    takesMail: true,
    siteUrl: 'http://localhost',
    rateLimitFactor: 1,
    trustedProxies: 0,
    log,
    ...options,
  } as unknown as Backend
  const app = createHttpApp(backend, {
    mailer: {
      takesMail: true,
      isLocal: true,
      send: async () => undefined,
      deliver: async () => undefined,
      notify: async () => undefined,
      converse: async () => undefined,
      test: async () => undefined,
      domain: 'console.test',
      mailbox: () => [],
      close: async () => undefined,
    },
    refusals: refusalLog(backend),
    dist: null,
    releases: new AgentReleases(backend, ''),
    mailboxKey: null,
    inbound: null,
    siteUrlNamed: false,
  })
  return {
    log,
    asked,
    startSession: () => ended.rows.push({}),
    /** An answer is taken for read unless `unread`. */
    ask: async (path: string, init: RequestInit & { from?: string; unread?: boolean } = {}) => {
      const headers = new Headers(init.headers)
      const outgoing = new EventEmitter()
      const env = {
        incoming: {
          socket: { remoteAddress: init.from ?? '127.0.0.1' },
          headers: Object.fromEntries(headers),
        },
        outgoing,
      } as unknown as HttpBindings
      const response = await app.request(`http://localhost${path}`, init, env)
      if (!init.unread) outgoing.emit('close')
      return response
    },
  }
}
