// @ts-check
// Plain JavaScript: the thread that answers the API on PostgreSQL loads it without a TypeScript loader.
import { setTimeout as sleep } from 'node:timers/promises'
import { createPostgresConnection } from '@supabase/lite/postgres'
import postgres from 'postgres'
import { statementBudget } from './budget.mjs'
import { isoTimestamp, isoTimestamptz, numeric, sendTexts } from './parsers.mjs'

/** @typedef {ReturnType<typeof createPostgresConnection>['driver']} Driver */

/** @param {unknown} value */
const text = (value) => String(value)

/**
 * lite hands JSON arguments of functions over as text already encoded, which the driver would encode a second time
 * into a JSON string; PGlite passes text through. Rows to insert arrive as objects in both.
 * @param {unknown} value
 */
const json = (value) => (typeof value === 'string' ? value : JSON.stringify(value))
/** @param {string} value */
const parse = (value) => JSON.parse(value)

const TYPES = {
  json: { to: 114, from: [114], serialize: json, parse },
  jsonb: { to: 3802, from: [3802], serialize: json, parse },
  numeric: { to: 1700, from: [1700], serialize: text, parse: numeric },
  timestamp: { to: 1114, from: [1114], serialize: text, parse: isoTimestamp },
  timestamptz: { to: 1184, from: [1184], serialize: text, parse: isoTimestamptz },
}

/** A session that is older is closed when it is given back: PostgreSQL keeps what it cached until then. */
const MAX_AGE_MS = 45 * 60_000
const CONNECT_SECONDS = 15
/** PostgreSQL ends a statement by its budget; no answer so long after it means that the connection is dead. */
const GRACE_MS = 5_000

/** A connection that closed, as the driver names it: the answer is 503. */
const connectionClosed = () =>
  Object.assign(new Error('The connection to the database was closed'), { code: 'CONNECTION_CLOSED' })

/**
 * A driver that has its one connection.
 * @param {Driver['options']} options
 */
async function connect(options) {
  const driver = postgres(/** @type {object} */ ({ ...options, max: 1 }))
  const close = () => driver.end({ timeout: 0 })
  // A server that closes each connection without a word would be called again and again.
  const overdue = setTimeout(close, CONNECT_SECONDS * 1000)
  try {
    await driver`select 1`
    return driver
  } catch (error) {
    void close()
    throw error
  } finally {
    clearTimeout(overdue)
  }
}

/**
 * The driver reads the array types in each new session, and ends the process if that session closes before the answer.
 * Read once, they stay in the options, which the drivers of all sessions share.
 * @param {Driver['options']} options
 */
async function readArrayTypes(options) {
  const driver = await connect({ ...options, fetch_types: true })
  void driver.end({ timeout: 0 })
  sendTexts(options.serializers)
}

/**
 * Opens a session in a driver of its own, which is never used after its connection closed. postgres.js might then wait
 * forever (porsager/postgres#1195), end the process (#1208), or run the rest of a transaction in another session,
 * without its role (#1216).
 * @param {Driver['options']} options
 */
async function openSession(options) {
  const openedAt = Date.now()
  let isClosed = false
  const handleClose = () => {
    isClosed = true
  }
  const driver = await connect({ ...options, onclose: handleClose })
  const close = () => {
    isClosed = true
    return driver.end({ timeout: 0 })
  }
  /** @type {Promise<unknown>} */
  let last = Promise.resolve()
  /**
   * Statements run one after the other: the driver would keep a second one for the connection that comes next.
   * @param {string} statement
   * @param {Parameters<Driver['unsafe']>[1]} [parameters]
   */
  const unsafe = (statement, parameters) => {
    const budget = statementBudget()
    const asked = last.then(async () => {
      if (isClosed) throw connectionClosed()
      const overdue = Number.isFinite(budget) ? setTimeout(close, budget + GRACE_MS) : undefined
      try {
        return await driver.unsafe(statement, parameters)
      } finally {
        clearTimeout(overdue)
      }
    })
    last = asked.catch(() => undefined)
    return asked
  }
  const isUsable = () => !isClosed && Date.now() - openedAt < MAX_AGE_MS
  return { unsafe, isUsable, close }
}

/** @typedef {Awaited<ReturnType<typeof openSession>>} Session */

/**
 * Replaces the driver's pool: at most `max` sessions, each used by one caller at a time, in the order of the calls.
 * @param {Driver} driver
 * @param {number} max
 */
function poolSessions(driver, max) {
  /** @type {Set<Session>} */
  const open = new Set()
  /** @type {Session[]} */
  const idle = []
  /** @type {(() => void)[]} */
  const waiting = []
  let turns = max
  /** @type {Promise<void> | undefined} */
  let types
  const takeTurn = async () => {
    if (turns > 0) turns -= 1
    else await /** @type {Promise<void>} */ (new Promise((resolve) => waiting.push(resolve)))
  }
  const giveTurn = () => {
    const next = waiting.shift()
    if (next) next()
    else turns += 1
  }
  /** @param {Session} session */
  const drop = (session) => {
    open.delete(session)
    void session.close()
  }
  const take = async () => {
    for (let session = idle.pop(); session; session = idle.pop()) {
      if (session.isUsable()) return session
      drop(session)
    }
    types ??= readArrayTypes(driver.options).catch((/** @type {unknown} */ error) => {
      types = undefined
      throw error
    })
    await types
    const session = await openSession(driver.options)
    open.add(session)
    return session
  }
  const reserve = async () => {
    await takeTurn()
    try {
      const session = await take()
      const release = () => {
        if (session.isUsable()) idle.push(session)
        else drop(session)
        giveTurn()
      }
      return { unsafe: session.unsafe, release }
    } catch (error) {
      giveTurn()
      throw error
    }
  }
  // lite uses no other members of a reserved session than `unsafe` and `release`.
  driver.reserve = /** @type {Driver['reserve']} */ (/** @type {unknown} */ (reserve))
  const end = driver.end.bind(driver)
  driver.end = async ({ timeout = 0 } = {}) => {
    const until = Date.now() + timeout * 1000
    while (open.size > idle.length && Date.now() < until) await sleep(20)
    await Promise.all([end({ timeout: 0 }), ...[...open].map((session) => session.close())])
  }
}

/**
 * lite's connection to PostgreSQL, with values as PostgREST writes them.
 * @param {string} url
 * @param {number} sessions at most
 */
export function connectPostgres(url, sessions) {
  const connection = createPostgresConnection({
    url,
    postgresOptions: {
      types: TYPES,
      max_lifetime: null,
      fetch_types: false,
      onnotice: () => undefined,
      connect_timeout: CONNECT_SECONDS,
    },
  })
  poolSessions(connection.driver, sessions)
  return connection
}

/**
 * @template T
 * @param {ReturnType<typeof connectPostgres>} connection
 * @param {(session: Pick<Session, 'unsafe'>) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inSession({ driver }, work) {
  const session = await driver.reserve()
  try {
    return await work(session)
  } finally {
    session.release()
  }
}
