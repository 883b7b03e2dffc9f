import { StartError } from '../start-error'
import type { ApiKeys } from './api-thread'
import { withoutBudget } from './budget.mjs'
import type { Database, Query } from './database'
import type { EngineState } from './engine'
import { normalizeDatabaseError } from './errors.mjs'
import { startPostgresApi } from './postgres-api'
import { connectPostgres, inSession } from './postgres-connection.mjs'
import { createQueue } from './queue'

/** The maximum age of the known state. */
const PROBE_MS = 5_000

/** An arbitrary number that is the same in every server. */
const ALONE = 7_164_911

/** Sign-ins, agents and the server itself have four of ten sessions; the other six are the API's. */
const OWN_SHARE = 0.4

export async function openPostgres(
  url: string,
  keys: ApiKeys,
  log: (line: string) => void,
): Promise<Database> {
  const pool = Number(process.env.DATABASE_POOL ?? 10)
  const own = Math.max(1, Math.round(pool * OWN_SHARE))
  const width = Math.max(1, pool - own)
  const connection = connectPostgres(url, own)
  const { driver } = connection
  connection.normalizeDbError = normalizeDatabaseError
  const query: Query = async <R>(sql: string, params: readonly unknown[] = []) => {
    const rows = await inSession(connection, (session) => session.unsafe(sql, [...params] as never[]))
    return [...rows] as R[]
  }
  try {
    await query('select 1')
  } catch (error) {
    await driver.end()
    throw new StartError(`The database of DATABASE_URL did not respond: ${(error as Error).message}`)
  }
  const api = startPostgresApi({ url, sessions: width, keys }, log)
  let state: EngineState = 'ready'
  let askedAt = Date.now()
  const probe = () => {
    askedAt = Date.now()
    void query('select 1').then(
      () => {
        state = 'ready'
      },
      () => {
        state = 'down'
      },
    )
  }
  return {
    kind: 'postgres',
    connection,
    api,
    owner: null,
    // A client that leaves does not cancel its statement: one account's must not take the whole pool.
    exclusive: createQueue({ width, share: Math.ceil(width / 2) }),
    query,
    state: () => {
      if (Date.now() - askedAt > PROBE_MS) probe()
      return state
    },
    script: (sql, role) =>
      withoutBudget(() =>
        inSession(connection, async (session) => {
          await session.unsafe('begin')
          try {
            if (role) await session.unsafe(`set local role ${role}`)
            await session.unsafe(sql)
            await session.unsafe('commit')
          } catch (error) {
            await session.unsafe('rollback').catch(() => undefined)
            throw error
          }
        }),
      ),
    listen: async (channel, onMessage, onGap) => {
      let before = false
      await driver.listen(channel, onMessage, () => {
        if (before) onGap?.()
        before = true
      })
    },
    alone: async (work) => {
      // Outside the pool, which keeps working; the lock ends with its session.
      const holder = connectPostgres(url, 1)
      try {
        return await inSession(holder, async (session) => {
          await withoutBudget(() => session.unsafe(`select pg_advisory_lock(${ALONE})`))
          return work()
        })
      } finally {
        await holder.driver.end()
      }
    },
    close: async () => {
      await Promise.all([api.close(), driver.end({ timeout: 1 })])
    },
  }
}
