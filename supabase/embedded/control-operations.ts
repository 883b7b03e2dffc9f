import { resolve } from 'node:path'
import { POSTGRES_HINT, prepareRestore, writeBackup } from './backup'
import type { Operations } from './control'
import type { Core } from './core'
import { wipeDatabase } from './data-dir'
import { isLoopbackName } from './http/address'
import type { Backend } from './http/context'
import { loadKeys } from './keys'
import { askRows, catalog, countRows, createAdmin, migrate, roleHolders } from './operations'
import type { ServerOptions } from './options'
import { ROOT } from './root'
import { StartError } from './start-error'

/** The operations of a running server, for its control listener. */
export function operationsOn(
  backend: Backend,
  options: ServerOptions,
  open: (demo: boolean) => Promise<Core>,
  /** Connects everything that listens to the database to the new one. */
  attach: () => Promise<void>,
): Operations {
  /** Requests wait. If the new database does not open, they get their error instead of waiting. */
  const replaceDatabase = async (prepare: () => void, demo: boolean) => {
    const replace = async () => {
      await backend.core.close()
      prepare()
      backend.core = await open(demo)
      await attach()
    }
    const replaced = replace()
    backend.ready = replaced.catch(() => undefined)
    await replaced
  }
  return {
    backup: async (file: unknown) => {
      if (options.databaseUrl) throw new StartError(POSTGRES_HINT)
      await writeBackup(String(file), backend.core.database, options.dataDir)
    },
    restore: async (file: unknown) => {
      if (options.databaseUrl) throw new StartError(POSTGRES_HINT)
      const putInPlace = await prepareRestore(String(file), options.dataDir)
      let aside: string[] = []
      await replaceDatabase(() => {
        aside = putInPlace()
        // Everybody who checks a key holds this object.
        Object.assign(
          backend.keys,
          loadKeys(resolve(options.dataDir), process.env, !isLoopbackName(options.host)),
        )
      }, false)
      return aside
    },
    'admin-create': async (email: unknown) => createAdmin(backend.core.database.query, String(email)),
    migrate: async () => migrate(backend, ROOT),
    catalog: async () => catalog(backend),
    rows: async (questions: unknown) =>
      askRows(backend.core.database.query, (questions as unknown[]).map(String)),
    'role-holders': async () => roleHolders(backend.core.database.query),
    count: async (table: unknown) => countRows(backend.core.database.query, String(table)),
    refresh: async () => {
      await backend.definitions?.refresh()
      return backend.definitions !== null
    },
    'demo-reset': async () => {
      if (options.databaseUrl)
        throw new StartError(
          'The demo data is loaded into the embedded database only, not into that of DATABASE_URL.',
        )
      if (!isLoopbackName(options.host))
        throw new StartError(`HOST ${options.host} is reachable by others, so demo accounts are not allowed.`)
      await replaceDatabase(() => {
        wipeDatabase(options.dataDir)
        backend.files.clear()
      }, true)
    },
  }
}
