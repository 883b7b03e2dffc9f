import { AsyncLocalStorage } from 'node:async_hooks'
import type { Connection, VarsContext } from '@supabase/lite'
import { type Kysely, sql } from 'kysely'

/** Milliseconds a statement may take: as hosted Supabase has them for the roles of its API. */
const ROLES: Record<string, number> = { anon: 3_000, authenticated: 8_000 }
/** The server's own statements, and those of the secret key. */
export const SERVER_BUDGET = 60_000

const current = new AsyncLocalStorage<number>()

export const statementBudget = (): number => current.getStore() ?? SERVER_BUDGET

export const withBudget = <T>(milliseconds: number, work: () => Promise<T>): Promise<T> =>
  current.run(milliseconds, work)

/** For maintenance, migrations and packing, which take as long as the database is large. */
export const withoutBudget = <T>(work: () => Promise<T>): Promise<T> =>
  withBudget(Number.POSITIVE_INFINITY, work)

/** Functions of the API that declare a `statement_timeout` of their own, as PostgREST honors it. */
async function declaredBudgets(kysely: Kysely<unknown>): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; milliseconds: number }>`
    select p.proname as name,
      case when value ~ '^[0-9]+$' then value::float8 else extract(epoch from value::interval)::float8 * 1000 end
        as milliseconds
    from pg_catalog.pg_proc p
    cross join lateral unnest(p.proconfig) as setting
    cross join lateral split_part(setting, '=', 2) as value
    where p.pronamespace = 'public'::regnamespace and setting like 'statement_timeout=%'`.execute(kysely)
  return new Map(rows.map((row) => [row.name, row.milliseconds]))
}

/**
 * Gives each request of the API the budget of its role, or that of the function it calls, and enters the role in one
 * statement where lite takes six: each is a round trip.
 * @param inDatabase the database keeps the time itself.
 */
export function budgetRequests(connection: Connection, inDatabase: boolean): void {
  let declared: Promise<Map<string, number>> | undefined
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
      declared ??= declaredBudgets(connection.kysely).catch((error: unknown) => {
        declared = undefined
        throw error
      })
      budget = (await declared).get(name) ?? budget
    }
    return withBudget(budget, () => ask(vars, work, options))
  }
  // lite keeps the method to itself: tests/contract/lite.test.ts holds that it calls ours.
  Reflect.set(connection, 'applyJwtSessionContext', (db: Kysely<unknown>, vars: VarsContext) =>
    enterContext(db, vars, inDatabase),
  )
}

const requestOf = (vars: VarsContext | undefined) => {
  const auth = (vars?.auth ?? {}) as { role?: string; uid?: string; jwt?: unknown }
  return { role: auth.role || 'anon', userId: auth.uid ?? '', claims: auth.jwt }
}

async function enterContext(db: Kysely<unknown>, vars: VarsContext, inDatabase: boolean): Promise<void> {
  const { role, userId, claims } = requestOf(vars)
  const hasClaims = typeof claims === 'object' && claims !== null
  await sql`select set_config('request.jwt.claim.sub', ${userId}, true),
    set_config('request.jwt.claim.role', ${role}, true),
    ${hasClaims ? sql`set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),` : sql``}
    ${inDatabase ? sql`set_config('statement_timeout', ${String(statementBudget())}, true),` : sql``}
    set_config('role', ${role}, true)`.execute(db)
}
