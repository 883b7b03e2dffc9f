// @ts-check
// Plain JavaScript: the thread of PGlite loads it without a TypeScript loader.
import { PostgresConnection } from '@supabase/lite/postgres'
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { statementBudget } from './budget.mjs'

/** @typedef {import('@supabase/lite').Connection} Connection */

/**
 * lite's PostgreSQL connection without a driver: lite exports only the two subclasses that bring their own.
 * tests/contract/lite.test.ts checks the parts of lite that this relies on.
 */
const LiteConnection = /** @type {new (config: { url: string }) => Connection} */ (
  Object.getPrototypeOf(PostgresConnection)
)

/**
 * lite's connection over a driver of ours.
 * @param {import('kysely').Driver} driver
 * @param {string} url
 * @returns {Connection}
 */
export function liteConnection(driver, url) {
  const connection = new LiteConnection({ url })
  connection.dialect = 'postgres'
  connection.kysely = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  return connection
}

/**
 * lite's connection to the PGlite of this thread. One request at a time: it is one session without a transaction mutex.
 * @param {import('@electric-sql/pglite').PGlite} pg
 * @param {(budget: number | null) => void} onStatement told the budget of each statement, and null once it has ended
 */
export function connectHere(pg, onStatement) {
  /** @param {string} text */
  const run = async (text) => {
    onStatement(statementBudget())
    await pg.exec(text)
    onStatement(null)
  }
  /** @type {import('kysely').DatabaseConnection} */
  const session = {
    executeQuery: async ({ sql, parameters }) => {
      onStatement(statementBudget())
      try {
        const { rows, affectedRows } = await pg.query(sql, [...parameters])
        return {
          rows: /** @type {any[]} */ (rows),
          numAffectedRows: affectedRows === undefined ? undefined : BigInt(affectedRows),
        }
      } finally {
        onStatement(null)
      }
    },
    streamQuery: () => {
      throw new Error('The embedded database does not stream.')
    },
  }
  return liteConnection(
    {
      init: async () => undefined,
      acquireConnection: async () => session,
      beginTransaction: () => run('begin'),
      commitTransaction: () => run('commit'),
      rollbackTransaction: () => run('rollback'),
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    },
    'pglite',
  )
}
