// @ts-check
// Plain JavaScript: the threads that answer the API load it without a TypeScript loader.
import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'kysely'

/** @typedef {import('@supabase/lite').Connection} Connection */
/** @typedef {import('@supabase/lite').VarsContext} VarsContext */
/** @typedef {import('kysely').Kysely<unknown>} Kysely */

/**
 * Milliseconds a statement may take: as hosted Supabase has them for the roles of its API.
 * @type {Record<string, number>}
 */
const ROLES = { anon: 3_000, authenticated: 8_000 }
/** The server's own statements, and those of the secret key. */
export const SERVER_BUDGET = 60_000

/** @type {AsyncLocalStorage<number>} */
const current = new AsyncLocalStorage()

/** The id of the page load that sent a request; `app.request_origin()` reads it. */
const ORIGIN_HEADER = 'x-origin-id'

/** @type {AsyncLocalStorage<string | undefined>} */
const currentOrigin = new AsyncLocalStorage()

/**
 * Answers one request of the API. Of its headers the database gets only the origin, and that only in its proper form.
 * @template T
 * @param {readonly [name: string, value: string][]} headers
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export function withOrigin(headers, work) {
  const origin = headers.find(([name]) => name.toLowerCase() === ORIGIN_HEADER)?.[1]
  return currentOrigin.run(origin && /^[0-9a-f]{32}$/.test(origin) ? origin : undefined, work)
}

/** @returns {number} milliseconds */
export const statementBudget = () => current.getStore() ?? SERVER_BUDGET

/**
 * @template T
 * @param {number} milliseconds
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export const withBudget = (milliseconds, work) => current.run(milliseconds, work)

/**
 * For maintenance, migrations and packing, which take as long as the database is large.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export const withoutBudget = (work) => withBudget(Number.POSITIVE_INFINITY, work)

/**
 * Functions of the API that declare a `statement_timeout` of their own, as PostgREST honors it.
 * @param {Kysely} kysely
 * @returns {Promise<Map<string, number>>}
 */
async function declaredBudgets(kysely) {
  const { rows } = await /** @type {import('kysely').RawBuilder<{ name: string, milliseconds: number }>} */ (
    sql`
    select p.proname as name,
      case when value ~ '^[0-9]+$' then value::float8 else extract(epoch from value::interval)::float8 * 1000 end
        as milliseconds
    from pg_catalog.pg_proc p
    cross join lateral unnest(p.proconfig) as setting
    cross join lateral split_part(setting, '=', 2) as value
    where p.pronamespace = 'public'::regnamespace and setting like 'statement_timeout=%'`
  ).execute(kysely)
  return new Map(rows.map((row) => [row.name, row.milliseconds]))
}

/**
 * Gives each request of the API the budget of its role, or that of the function it calls, and enters the role in one
 * statement where lite takes six: each is a round trip to PostgreSQL.
 * @param {Connection} connection
 * @param {boolean} inDatabase the database keeps the time itself
 */
export function budgetRequests(connection, inDatabase) {
  /** @type {Promise<Map<string, number>> | undefined} */
  let declared
  const clear = connection.clearSchemaCache.bind(connection)
  connection.clearSchemaCache = async () => {
    declared = undefined
    await clear()
  }
  const ask = connection.withContext.bind(connection)
  connection.withContext = async (vars, work, options) => {
    let budget = ROLES[requestOf(vars).role] ?? SERVER_BUDGET
    const name = options?.rpc?.path.split('/').at(-1)
    if (name) {
      declared ??= declaredBudgets(connection.kysely).catch((/** @type {unknown} */ error) => {
        declared = undefined
        throw error
      })
      budget = (await declared).get(name) ?? budget
    }
    return withBudget(budget, () => ask(vars, work, options))
  }
  // lite keeps the method to itself: tests/contract/lite.test.ts holds that it calls ours.
  Reflect.set(
    connection,
    'applyJwtSessionContext',
    (/** @type {Kysely} */ db, /** @type {VarsContext} */ vars) => enterContext(db, vars, inDatabase),
  )
  // lite gives functions every header of a request, access token included, in five statements.
  Reflect.set(connection, 'applyRpcRequestGucs', async () => undefined)
}

/** @param {VarsContext | undefined} vars */
const requestOf = (vars) => {
  const auth = /** @type {{ role?: string, uid?: string, jwt?: unknown }} */ (vars?.auth ?? {})
  return { role: auth.role || 'anon', userId: auth.uid ?? '', claims: auth.jwt }
}

/**
 * @param {Kysely} db
 * @param {VarsContext} vars
 * @param {boolean} inDatabase
 */
async function enterContext(db, vars, inDatabase) {
  const { role, userId, claims } = requestOf(vars)
  const hasClaims = typeof claims === 'object' && claims !== null
  const origin = currentOrigin.getStore()
  const requestHeaders = origin && JSON.stringify({ [ORIGIN_HEADER]: origin })
  await sql`select set_config('request.jwt.claim.sub', ${userId}, true),
    set_config('request.jwt.claim.role', ${role}, true),
    ${hasClaims ? sql`set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),` : sql``}
    ${requestHeaders ? sql`set_config('request.headers', ${requestHeaders}, true),` : sql``}
    ${inDatabase ? sql`set_config('statement_timeout', ${String(statementBudget())}, true),` : sql``}
    set_config('role', ${role}, true)`.execute(db)
}
