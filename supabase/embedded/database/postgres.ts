import { createPostgresConnection } from '@supabase/lite/postgres'
import { StartError } from '../start-error'
import { budgetRequests } from './budget'
import type { Database, Query, Row } from './database'
import type { EngineState } from './engine'
import { normalizeDatabaseError } from './errors'
import { refuseEndedSessions } from './lost-sessions'
import { isoTimestamp, isoTimestamptz, numeric } from './parsers.mjs'
import { createQueue } from './queue'

const text = (value: unknown): string => String(value)

/**
 * lite hands JSON arguments of functions over as text already encoded, which the driver would encode a second time
 * into a JSON string; PGlite passes text through. Rows to insert arrive as objects in both.
 */
const json = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const TYPES = {
  json: { to: 114, from: [114], serialize: json, parse: (value: string) => JSON.parse(value) as unknown },
  jsonb: { to: 3802, from: [3802], serialize: json, parse: (value: string) => JSON.parse(value) as unknown },
  numeric: { to: 1700, from: [1700], serialize: text, parse: numeric },
  timestamp: { to: 1114, from: [1114], serialize: text, parse: isoTimestamp },
  timestamptz: { to: 1184, from: [1184], serialize: text, parse: isoTimestamptz },
}

/** How old the known state may be before it is asked for again. */
const PROBE_MS = 5_000

/** Any number, as long as it is the same in every server. */
const ALONE = 7_164_911

/** Sessions that requests of the API leave to sign-ins, agents and the server itself. */
const SPARE_SESSIONS = 2

export async function openPostgres(url: string): Promise<Database> {
  const pool = Number(process.env.DATABASE_POOL ?? 10)
  const width = Math.max(1, pool - SPARE_SESSIONS)
  const connection = createPostgresConnection({
    url,
    postgresOptions: {
      types: TYPES,
      max: pool,
      onnotice: () => undefined,
      connect_timeout: 15,
    },
  })
  const { driver } = connection
  refuseEndedSessions(driver)
  connection.normalizeDbError = normalizeDatabaseError
  budgetRequests(connection, true)
  try {
    await driver`select 1`
  } catch (error) {
    await driver.end({ timeout: 1 })
    throw new StartError(`The database of DATABASE_URL does not answer: ${(error as Error).message}`)
  }
  const query: Query = async <R>(sql: string, params: readonly unknown[] = []) => {
    const rows = await driver.unsafe<Row[]>(sql, [...params] as never[])
    return [...rows] as R[]
  }
  let state: EngineState = 'ready'
  let askedAt = Date.now()
  const probe = () => {
    askedAt = Date.now()
    void driver`select 1`.then(
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
    owner: null,
    // A client that leaves does not cancel its statement: one account's must not take the whole pool.
    exclusive: createQueue({ width, share: Math.ceil(width / 2) }),
    query,
    state: () => {
      if (Date.now() - askedAt > PROBE_MS) probe()
      return state
    },
    script: async (sql, role) => {
      await driver.begin(async (transaction) => {
        if (role) await transaction.unsafe(`set local role ${role}`)
        await transaction.unsafe(sql).simple()
      })
    },
    listen: async (channel, onMessage, onGap) => {
      let before = false
      await driver.listen(channel, onMessage, () => {
        if (before) onGap?.()
        before = true
      })
    },
    alone: async (work) => {
      // Outside the pool, which works meanwhile; the lock ends with its session.
      const { driver: holder } = createPostgresConnection({ url, postgresOptions: { max: 1 } })
      try {
        await holder`select pg_advisory_lock(${ALONE})`
        return await work()
      } finally {
        await holder.end({ timeout: 1 })
      }
    },
    close: () => driver.end({ timeout: 5 }),
  }
}
