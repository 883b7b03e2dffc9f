import type { Connection } from '@supabase/lite'
import { CompiledQuery, type DatabaseConnection, type Driver } from 'kysely'
import { StartError } from '../start-error'
import { apiOf } from './api-thread'
import { withoutBudget } from './budget.mjs'
import type { Database, Query } from './database'
import { Engine, type EngineOptions } from './engine'
import { normalizeDatabaseError } from './errors.mjs'
import { liteConnection } from './pglite-connection.mjs'
import { createQueue } from './queue'

/** A session is one checkout: a transaction's statements all go to the thread it began in, or nowhere. */
class EngineSession implements DatabaseConnection {
  readonly #engine: Engine
  readonly #session: number
  /** `begin` travels with the first statement. */
  #transaction: 'none' | 'wanted' | 'open' = 'none'

  constructor(engine: Engine, session: number) {
    this.#engine = engine
    this.#session = session
  }

  async executeQuery<R>({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>) {
    const begins = this.#transaction === 'wanted'
    if (begins) this.#transaction = 'open'
    const { rows = [], affectedRows } = await this.#engine.send(
      { kind: 'query', sql, params: parameters, begins },
      this.#session,
    )
    return {
      rows: rows as R[],
      numAffectedRows: affectedRows === undefined ? undefined : BigInt(affectedRows),
    }
  }

  streamQuery(): never {
    throw new Error('The embedded database does not stream.')
  }

  begin(): void {
    this.#transaction = 'wanted'
  }

  async commit(): Promise<void> {
    if (this.#transaction === 'open') await this.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollback(): Promise<void> {
    // A thread that is gone has taken its transaction with it.
    if (this.#transaction === 'open' && (await this.#engine.session()) === this.#session)
      await this.executeQuery(CompiledQuery.raw('rollback'))
  }
}

class EngineDriver implements Driver {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<EngineSession> {
    return new EngineSession(this.#engine, await this.#engine.session())
  }

  async beginTransaction(session: EngineSession): Promise<void> {
    session.begin()
  }

  commitTransaction(session: EngineSession): Promise<void> {
    return session.commit()
  }

  rollbackTransaction(session: EngineSession): Promise<void> {
    return session.rollback()
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

/** lite's connection in this thread, for what GoTrue and the server itself ask; the API is answered in the engine's. */
function connect(engine: Engine, url: string): Connection<Engine> {
  const connection = liteConnection(new EngineDriver(engine), url) as Connection<Engine>
  connection.driver = engine
  const bare = connection.exec.bind(connection)
  // lite sets up its schemas with several statements in one text, which only the simple protocol takes.
  connection.exec = async <T>(text: string, ...parameters: readonly unknown[]): Promise<T> => {
    if (parameters.length > 0) return bare<T>(text, ...parameters)
    return { rows: (await engine.send({ kind: 'exec', sql: text })).rows } as T
  }
  connection.close = () => engine.close()
  connection.normalizeDbError = normalizeDatabaseError
  return connection
}

/** The embedded database: PGlite in a thread, one session, one queue. */
export async function openPglite(
  options: EngineOptions,
): Promise<Database & { dump: () => Promise<ArrayBuffer> }> {
  const engine = await Engine.open(options).catch((error: Error) => {
    throw new StartError(`The database in ${options.dataDir} cannot be opened: ${error.message}`)
  })
  const connection = connect(engine, options.dataDir)
  const exclusive = createQueue()
  const query: Query = async <R>(sql: string, params: readonly unknown[] = []) =>
    exclusive(async () => ((await engine.send({ kind: 'query', sql, params })).rows ?? []) as R[])

  return {
    kind: 'pglite',
    connection,
    api: apiOf((request) => engine.send(request)),
    owner: null,
    exclusive,
    query,
    state: () => engine.state,
    script: (sql, role = null) =>
      exclusive(async () => {
        await withoutBudget(() => engine.send({ kind: 'script', sql, role }))
      }),
    listen: (channel, onMessage, onGap) => exclusive(() => engine.listen(channel, onMessage, onGap)),
    // No lock is needed: the data directory of PGlite belongs to one process (see data-dir.ts).
    alone: (work) => work(),
    close: () => engine.close(),
    dump: () =>
      exclusive(async () => {
        const { dump } = await withoutBudget(async () => {
          await engine.send({ kind: 'exec', sql: 'checkpoint' })
          return engine.send({ kind: 'dump' })
        })
        if (!dump) throw new Error('The database was not packed.')
        return dump
      }),
  }
}
