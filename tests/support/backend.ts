import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { WebSocket } from 'ws'
import type { ServerOptions } from '../../supabase/embedded/options'
import { ROOT } from '../../supabase/embedded/root'
import { type RunningServer, startServer } from '../../supabase/embedded/server'
import { snapshotFile } from '../../supabase/embedded/snapshot'
import { hashCheaply } from './accounts'
import { madeOnce } from './made-once'
import { startPostgres, whyNoPostgres } from './postgres'
import { postgresTemplate } from './postgres-template'

export const DEMO_PASSWORD = 'Demo-Console-2026'

export type Driver = 'pglite' | 'postgres'

export interface TestBackend {
  url: string
  publishableKey: string
  serviceKey: string
  mailboxUrl: string | null
  /** For connections of the test's own; null on PGlite. */
  databaseUrl: string | null
  /** The mails sent so far, newest last. */
  mails: RunningServer['mails']
  /** As the owner of everything, around row-level security. */
  sql: <R = Record<string, unknown>>(query: string, params?: readonly unknown[]) => Promise<R[]>
  /** A plain client: anonymous, or signed in with the demo password (or another). */
  client: (email?: string, password?: string) => Promise<SupabaseClient>
  stop: () => Promise<void>
}

export interface TestBackendOptions extends Partial<Omit<ServerOptions, 'port' | 'host' | 'databaseUrl'>> {
  /** PGlite, unless TEST_POSTGRES=1. */
  driver?: Driver
}

/**
 * Where the embedded PGlite and a PostgreSQL can differ, although both run the same SQL: PGlite has one session and one
 * superuser, its own ICU, no `statement_timeout`, and our engine in place of the server's protocol.
 */
export type Difference =
  | 'collations'
  | 'errors'
  | 'listen'
  | 'locks'
  | 'plans'
  | 'roles'
  | 'sessions'
  | 'timeouts'
  | 'types'

/** PGlite, whose one session waits for nobody, says nothing about them. */
const OF_SESSIONS: readonly Difference[] = ['locks', 'sessions']

/**
 * The databases a suite runs on: PGlite; PostgreSQL in its place where the suite depends on several sessions, and beside
 * it for any other difference. THOROUGH=1 runs every suite on both. Says when PostgreSQL is left out because it is
 * missing.
 */
export function drivers(...differences: Difference[]): Driver[] {
  const isThorough = process.env.THOROUGH === '1'
  if (!differences.length && !isThorough) return ['pglite']
  const why = whyNoPostgres()
  if (why) console.warn(`Not tested on PostgreSQL: ${why}.`)
  if (why) return ['pglite']
  const isOfSessions = differences.every((difference) => OF_SESSIONS.includes(difference))
  return isOfSessions && !isThorough ? ['postgres'] : ['pglite', 'postgres']
}

export function plainClient(url: string, key: string): SupabaseClient {
  return createClient(url, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: WebSocket as never },
  })
}

const shared: { backend?: Promise<TestBackend> } = {}

/**
 * An empty backend that the files of a process share: each asserts of companies and people of its own alone, and leaves
 * no other table, function or permission line behind. PostgreSQL is a file's own.
 */
export async function sharedBackend(driver: Driver = 'pglite'): Promise<TestBackend> {
  if (driver === 'postgres' || process.env.TEST_POSTGRES === '1') return testBackend({ driver, demo: false })
  shared.backend ??= testBackend({ driver, demo: false })
  // It ends with the process.
  return { ...(await shared.backend), stop: async () => undefined }
}

/** A backend of this test file's own, on a port nobody else has; in memory unless told otherwise. */
export async function testBackend({
  driver = process.env.TEST_POSTGRES === '1' ? 'postgres' : 'pglite',
  demo = true,
  ...options
}: TestBackendOptions = {}): Promise<TestBackend> {
  const postgres =
    driver === 'postgres' ? await startPostgres({ template: await postgresTemplate(demo) }) : undefined
  const open = () =>
    startServer({
      dataDir: 'memory://',
      demo,
      serveDist: null,
      rateLimitFactor: 1000,
      timers: false,
      log: () => undefined,
      // There is no mailbox with PostgreSQL, and tests read its mails all the same.
      ...(postgres ? { keepMails: true } : {}),
      ...options,
      port: 0,
      host: '127.0.0.1',
      ...(postgres ? { databaseUrl: postgres.url } : {}),
    })
  // The first on PGlite keeps a snapshot, which the others begin with.
  const first = postgres || options.dataDir ? undefined : madeOnce(snapshotFile(ROOT, demo), open)
  const server = await Promise.resolve(first)
    .then((made) => made ?? open())
    .catch(async (error: unknown) => {
      await postgres?.stop()
      throw error
    })
  if (demo)
    await server.query(
      `update auth.users set encrypted_password = $1
       where encrypted_password = (select encrypted_password from auth.users where email = 'super@demo.test')`,
      [hashCheaply(DEMO_PASSWORD)],
    )
  return {
    url: server.url,
    publishableKey: server.publishableKey,
    serviceKey: server.serviceKey,
    mailboxUrl: server.mailboxUrl,
    databaseUrl: postgres?.url ?? null,
    mails: server.mails,
    sql: server.query,
    client: async (email, password = DEMO_PASSWORD) => {
      const client = plainClient(server.url, server.publishableKey)
      if (!email) return client
      const { error } = await client.auth.signInWithPassword({ email, password })
      if (error) throw new Error(`${email} cannot sign in: ${error.message}`)
      return client
    },
    stop: async () => {
      await server.stop()
      await postgres?.stop()
    },
  }
}
