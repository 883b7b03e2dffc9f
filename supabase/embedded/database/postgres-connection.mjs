// @ts-check
// Plain JavaScript: the thread that answers the API on PostgreSQL loads it without a TypeScript loader.
import { createPostgresConnection } from '@supabase/lite/postgres'
import { isoTimestamp, isoTimestamptz, numeric } from './parsers.mjs'

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

/**
 * A session that the server ended, or whose connection broke: nothing more can be asked in it.
 * @param {unknown} error
 */
function isEnd(error) {
  const { code, severity } = /** @type {{ code?: string, severity?: string }} */ (error)
  return severity === 'FATAL' || /^(CONNECTION_|ECONN|EPIPE|ETIMEDOUT)/.test(code ?? '')
}

/**
 * The driver writes a rollback to the closed socket of a session that ended within its transaction, and that error
 * escapes every catch and ends the process (porsager/postgres#1208). So later statements are refused here, and
 * the session is not given back: the driver has taken it out of its pool by itself.
 * @param {Driver} driver
 */
function refuseEndedSessions(driver) {
  const reserve = driver.reserve.bind(driver)
  driver.reserve = async () => {
    const session = await reserve()
    const ask = session.unsafe.bind(session)
    const release = session.release.bind(session)
    /** @type {unknown} */
    let end
    const unsafe = (/** @type {Parameters<typeof ask>} */ ...given) => {
      if (end !== undefined) return Promise.reject(end)
      const asked = ask(...given)
      // Heard before whoever waits for the answer: the rollback is theirs.
      asked.catch((/** @type {unknown} */ error) => {
        if (isEnd(error)) end = error
      })
      return asked
    }
    return Object.assign(session, {
      unsafe,
      release: () => {
        if (end === undefined) release()
      },
    })
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
    postgresOptions: { types: TYPES, max: sessions, onnotice: () => undefined, connect_timeout: 15 },
  })
  refuseEndedSessions(connection.driver)
  return connection
}
