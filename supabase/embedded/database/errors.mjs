// @ts-check
// Plain JavaScript: the threads that answer the API load it without a TypeScript loader.
import { inspect } from 'node:util'

/**
 * A PostgreSQL error as both drivers hand it over, without the statement and its parameters.
 * @typedef {Error & { code: string, detail?: string, hint?: string, position?: string }} DatabaseError
 */

/**
 * @param {unknown} error
 * @returns {error is DatabaseError}
 */
export function isDatabaseError(error) {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)
}

/**
 * Statements carry secrets in their parameters, and errors end in logs: both go before anybody sees the error.
 * @param {unknown} error
 */
function withoutStatement(error) {
  if (typeof error !== 'object' || error === null) return error
  for (const key of ['query', 'params', 'parameters', 'args', 'queryOptions', 'internalQuery'])
    if (key in error) Reflect.deleteProperty(error, key)
  return error
}

/** @type {Record<string, number>} */
const STATUS_BY_CLASS = {
  '08': 503,
  '0L': 403,
  '0P': 403,
  22: 400,
  23: 400,
  28: 403,
  42: 400,
  53: 503,
}

/**
 * The status PostgREST answers, for the codes lite answers 500 to, or answers without detail and hint.
 * @param {string} code
 * @returns {number | undefined}
 */
export function statusOf(code) {
  if (/^(PGRST$|PT)/.test(code)) return undefined
  if (['42501', '42P01', '42883', '42P17', '25006', '42703'].includes(code)) return undefined
  if (code === '23503' || code === '23505') return 409
  // 54000: a list is nested deeper than the database takes.
  if (['P0001', '21000', '54000'].includes(code)) return 400
  // The database is going, or coming: the same request succeeds a moment later.
  if (code.startsWith('57P')) return 503
  return STATUS_BY_CLASS[code.slice(0, 2)] ?? 500
}

/**
 * The database is not there at the moment, by its own word or the driver's. A fatal error ends its session, whatever
 * its code: a database that takes no connections answers 55000.
 * @param {unknown} error
 */
export function isUnavailable(error) {
  if (!(error instanceof Error)) return false
  const { code = '', severity } = /** @type {{ code?: unknown, severity?: unknown }} */ (error)
  return (
    severity === 'FATAL' || /^(08...|57P..)$|^(CONNECTION_|CONNECT_|ECONN|EPIPE|ETIMEDOUT)/.test(String(code))
  )
}

const MESSAGE_LENGTH = 2000
const LINE_LENGTH = 300

const UNAVAILABLE = {
  code: '08006',
  message: 'The database is not available',
  detail: undefined,
  hint: undefined,
}

/**
 * The answer to lite's `normalizeDbError` hook. Errors that lite does not know come out as `PGRST`, lite's envelope for
 * an error with status, so that the client reads code, message, details and hint as from PostgREST. Always a new
 * object: lite logs the error it gets, and the driver's error holds the statement's parameters.
 * @param {unknown} error
 * @returns {unknown}
 */
export function normalizeDatabaseError(error) {
  const isGone = isUnavailable(error)
  // lite's own refusal, by whose class it answers: a page that is open while its resource is renamed or removed.
  if (error instanceof Error && error.message.startsWith('Could not find the '))
    return logged(error, error.message)
  if (!isDatabaseError(error) && !isGone) return withoutStatement(error)
  // The driver's own errors name the address of the database.
  const isSaid = isDatabaseError(error) && (!isGone || statusOf(error.code) === 503)
  const { code, message: text, detail: said, hint: advice } = isSaid ? error : UNAVAILABLE
  // PostgreSQL quotes what it cannot read as a whole: a megabyte that was sent would be answered and logged.
  const message = text.length > MESSAGE_LENGTH ? `${text.slice(0, MESSAGE_LENGTH)}…` : text
  const status = statusOf(code)
  // A failure of the database itself: the processes and locks of a deadlock are nobody's but the operator's.
  const isInside = status !== undefined && status >= 500
  // The whole row, with columns that the caller may not read where a function wrote it for them.
  const detail = isInside || said?.startsWith('Failing row contains') ? undefined : said
  const hint = isInside ? undefined : advice
  const plain =
    status === undefined
      ? { code, message, detail, hint }
      : {
          code: 'PGRST',
          message: JSON.stringify({ code, message, details: detail ?? null, hint: hint ?? null }),
          detail: JSON.stringify({ status, headers: status === 503 ? { 'retry-after': '2' } : {} }),
        }
  return logged(plain, `${code} ${message}`)
}

/**
 * A refused request is no incident: one short line in the log, and no row of a customer's data in it. Messages quote the
 * request, which may hold the line breaks of a forged entry.
 * @param {object} error
 * @param {string} text
 */
function logged(error, text) {
  const short = text.length > LINE_LENGTH ? `${text.slice(0, LINE_LENGTH)}…` : text
  const line = short.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (sign) => `\\u${sign.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  )
  return Object.defineProperty(error, inspect.custom, { value: () => line, enumerable: false })
}

/**
 * An error as it crosses threads: without the statement and its parameters, which may hold secrets.
 * @param {unknown} error
 */
export function plainError(error) {
  const { message, code, severity, detail, hint, position, constraint, table, column, schema } =
    /** @type {DatabaseError & Record<string, string | undefined>} */ (error)
  return { message, code, severity, detail, hint, position, constraint, table, column, schema }
}
