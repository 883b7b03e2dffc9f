import { join } from 'node:path'
import type { App, EmailDriver } from '@supabase/lite'
import { createApi, type SessionLimits } from './api'
import { bootstrap } from './bootstrap'
import type { Database } from './database/database'
import { openPglite } from './database/pglite'
import { openPostgres } from './database/postgres'
import type { Keys } from './keys'
import { applyMigrations, applySeeds } from './migrations'
import { emptySnapshot, readSnapshot, snapshotFile, writeSnapshot } from './snapshot'
import type { ReportProgress } from './start-progress'

export interface CoreOptions {
  /** The folder that holds `supabase/`. */
  root: string
  /** A directory of PGlite's own, or `memory://`; unused with a database URL. */
  pgliteUrl: string
  /** The directory holds no database yet, so a snapshot may be unpacked into it. */
  blank: boolean
  databaseUrl?: string
  /** Load the demo data, if the database is new. */
  demo: boolean
  /** Closed again at once: packing a snapshot takes longer than applying a few migrations. */
  brief?: boolean
  keys: Keys
  siteUrl: string
  session?: SessionLimits
  mail: EmailDriver
  log: (line: string) => void
  onProgress?: ReportProgress
}

/** The migrated database with lite's App on it: everything below HTTP. */
export interface Core {
  database: Database
  api: App
  /** Migrations applied by this start. */
  applied: string[]
  close: () => Promise<void>
}

/** Migrations that are applied in the time in which a snapshot is packed. */
const FEW_PENDING = 4

async function prepare(options: CoreOptions, database: Database): Promise<{ api: App; applied: string[] }> {
  const { root, keys, siteUrl, session, mail, demo, blank, log, onProgress } = options
  const api = await createApi({ database, keys, siteUrl, session, mail })
  await bootstrap(database)
  const { applied, fresh } = await applyMigrations(database, join(root, 'supabase/migrations'), log, {
    onProgress,
  })
  await applySeeds(database, join(root, 'supabase/seed'), demo && (blank || fresh), onProgress)
  onProgress?.({ step: 'console', done: 0, total: 1 })
  await database.api.reload()
  return { api, applied }
}

export async function openCore(options: CoreOptions): Promise<Core> {
  if (options.databaseUrl) {
    return finish(
      { ...options, blank: false },
      await openPostgres(options.databaseUrl, options.keys, options.log),
    )
  }
  const memory = options.pgliteUrl === 'memory://'
  // A directory that stays gets its demo data now: it counts from the hour it is loaded.
  const file = snapshotFile(options.root, memory && options.demo)
  const exact = options.blank ? readSnapshot(file) : undefined
  const empty = options.blank && !exact ? emptySnapshot(options.root) : undefined
  const database = await openPglite({
    dataDir: options.pgliteUrl,
    snapshot: exact ?? empty?.packed,
    keys: options.keys,
    log: options.log,
  })
  const core = await finish(options, database)
  const isKept = options.brief ? (empty?.pending ?? Infinity) > FEW_PENDING : memory || !options.demo
  if (options.blank && !exact && isKept) await writeSnapshot(file, await database.dump())
  return core
}

async function finish(options: CoreOptions, database: Database): Promise<Core> {
  try {
    const { api, applied } = await database.alone(() => prepare(options, database))
    return { database, api, applied, close: () => database.close() }
  } catch (error) {
    await database.close().catch(() => undefined)
    throw error
  }
}
