import { inspect } from 'node:util'

/** A PostgreSQL error as both drivers hand it over, without the statement and its parameters. */
export interface DatabaseError extends Error {
  code: string
  detail?: string
  hint?: string
  position?: string
}

export function isDatabaseError(error: unknown): error is DatabaseError {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)
}

/** Statements carry secrets in their parameters, and errors end in logs: both go before anybody sees the error. */
export function withoutStatement(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error
  for (const key of ['query', 'params', 'parameters', 'args', 'queryOptions', 'internalQuery'])
    if (key in error) Reflect.deleteProperty(error, key)
  return error
}

/** The status PostgREST answers, for the codes lite answers 500 to, or answers without detail and hint. */
function statusOf(code: string): number | undefined {
  if (/^(PGRST$|PT)/.test(code)) return undefined
  if (['42501', '42P01', '42883', '42P17', '25006', '42703'].includes(code)) return undefined
  if (code === '23503' || code === '23505') return 409
  if (code === 'P0001' || code === '21000') return 400
  // The database is going, or coming: the same request succeeds a moment later.
  if (code.startsWith('57P')) return 503
  const byClass: Record<string, number> = {
    '08': 503,
    '0L': 403,
    '0P': 403,
    '22': 400,
    '23': 400,
    '28': 403,
    '42': 400,
    '53': 503,
  }
  return byClass[code.slice(0, 2)] ?? 500
}

/**
 * What lite's `normalizeDbError` hook wants back. Errors it does not know come out as `PGRST`, its own envelope for
 * an error with status, so that the client reads code, message, details and hint as from PostgREST. Always a new
 * object: lite logs what it gets, and the driver's error holds the statement's parameters.
 */
export function normalizeDatabaseError(error: unknown): unknown {
  if (!isDatabaseError(error)) return withoutStatement(error)
  const { code, message, detail, hint } = error
  const status = statusOf(code)
  const plain =
    status === undefined
      ? { code, message, detail, hint }
      : {
          code: 'PGRST',
          message: JSON.stringify({ code, message, details: detail ?? null, hint: hint ?? null }),
          detail: JSON.stringify({ status, headers: status === 503 ? { 'retry-after': '2' } : {} }),
        }
  // A refused write is no incident: one line in the log, and no row of a customer's data in it.
  return Object.defineProperty(plain, inspect.custom, {
    value: () => `${code} ${message}`,
    enumerable: false,
  })
}
