import { AsyncLocalStorage } from 'node:async_hooks'
import type { Connection } from '@supabase/lite'
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
 * Gives each request of the API the budget of its role, or that of the function it calls.
 * @param apply tells the database, where it keeps the time itself.
 */
export function budgetRequests(
  connection: Connection,
  apply: (db: Kysely<unknown>, milliseconds: number) => Promise<void> = async () => undefined,
): void {
  let declared: Promise<Map<string, number>> | undefined
  const clear = connection.clearSchemaCache.bind(connection)
  connection.clearSchemaCache = async () => {
    declared = undefined
    await clear()
  }
  const ask = connection.withContext.bind(connection)
  connection.withContext = async (vars, work, options) => {
    const role = (vars?.auth as { role?: string } | undefined)?.role ?? 'anon'
    let budget = ROLES[role] ?? SERVER_BUDGET
    const name = options?.rpc?.path.split('/').at(-1)
    if (name) {
      declared ??= declaredBudgets(connection.kysely).catch((error: unknown) => {
        declared = undefined
        throw error
      })
      budget = (await declared).get(name) ?? budget
    }
    return withBudget(budget, () =>
      ask(
        vars,
        async (db) => {
          await apply(db, budget)
          return work(db)
        },
        options,
      ),
    )
  }
}
