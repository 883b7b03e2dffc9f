import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { createPgliteConnection } from '@supabase/lite/pglite'
import type { Database, Query } from './database'
import { normalizeDatabaseError, withoutStatement } from './errors'
import { isoTimestamp, isoTimestamptz, numeric } from './parsers'
import { createQueue } from './queue'

export interface PgliteOptions {
  /** A directory, or `memory://` (`:memory:` would make a directory of that name). */
  url: string
  /** A data directory packed by `dumpDataDir`, loaded instead of running initdb. */
  snapshot?: Blob
}

const PARSERS = { 1114: isoTimestamp, 1184: isoTimestamptz, 1700: numeric }

export async function openPglite({
  url,
  snapshot,
}: PgliteOptions): Promise<Database & { dump: () => Promise<Blob> }> {
  const connection = await createPgliteConnection({
    url,
    pgliteOptions: {
      extensions: { pg_trgm },
      parsers: PARSERS,
      ...(snapshot ? { loadDataDir: snapshot } : {}),
    },
  })
  const { driver } = connection
  await driver.waitReady

  // lite logs the errors of its own queries as they come: they must hold no parameters from the start.
  const bare = driver.query.bind(driver)
  driver.query = async (...args: Parameters<typeof bare>) => {
    try {
      return await bare(...args)
    } catch (error) {
      throw withoutStatement(error)
    }
  }
  connection.normalizeDbError = normalizeDatabaseError
  const exclusive = createQueue()
  const query: Query = async <R>(sql: string, params: readonly unknown[] = []) =>
    exclusive(async () => (await driver.query<R>(sql, [...params])).rows)

  return {
    kind: 'pglite',
    connection,
    owner: null,
    exclusive,
    query,
    script: (sql, role) =>
      exclusive(async () => {
        await driver.exec(`begin${role ? `; set local role ${role}` : ''}`)
        try {
          await driver.exec(sql)
          await driver.exec('commit')
        } catch (error) {
          await driver.exec('rollback')
          throw withoutStatement(error)
        }
      }),
    listen: async (channel, onMessage) => {
      await exclusive(() => driver.listen(channel, onMessage))
    },
    // Its directory belongs to one process: see data-dir.ts.
    alone: (work) => work(),
    close: () => exclusive(() => connection.close()),
    dump: () => exclusive(() => driver.dumpDataDir('gzip')),
  }
}
