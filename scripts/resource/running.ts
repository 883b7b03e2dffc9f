import { existsSync } from 'node:fs'
import { type Catalog, readCatalog } from '../../supabase/embedded/catalog'
import { askServer } from '../../supabase/embedded/control'
import { databaseDirectory, holderPid } from '../../supabase/embedded/data-dir'
import type { Query } from '../../supabase/embedded/database/database'
import { askRows, countRows, roleHolders } from '../../supabase/embedded/operations'
import { openDataDirectory } from '../../supabase/embedded/private-files'
import { dataDir } from '../support/environment'

/** Whether a console runs on the data directory. */
export const isRunning = (): boolean => holderPid(dataDir()) !== null

/** Applies what is pending to the console that runs on the data directory; null when none runs. */
export async function applyToRunning(): Promise<string[] | null> {
  const directory = dataDir()
  return holderPid(directory) ? askServer<string[]>(directory, 'migrate') : null
}

/**
 * Lets the running console read the definitions and texts at once; by itself it finds them within seconds. False when
 * none runs, or one without pages.
 */
export async function refreshRunning(): Promise<boolean> {
  const directory = dataDir()
  return holderPid(directory) ? askServer<boolean>(directory, 'refresh') : false
}

/** How many accounts have each role; roles that nobody has are absent. */
export async function liveRoleHolders(root: string): Promise<ReadonlyMap<string, number> | null> {
  const holders = await askDatabase(root, 'role-holders', undefined, roleHolders)
  return holders && new Map(holders.map(({ role, count }) => [role, count]))
}

/** Asks the database of the data directory, through the server that runs on it, or opened for the moment; null for none. */
async function askDatabase<T>(
  root: string,
  operation: string,
  argument: unknown,
  read: (query: Query) => Promise<T>,
): Promise<T | null> {
  const directory = dataDir()
  if (holderPid(directory)) return askServer<T>(directory, operation, argument)
  if (!process.env.DATABASE_URL && !existsSync(databaseDirectory(directory))) return null
  const { openCore } = await import('../../supabase/embedded/core')
  const { generateKeys } = await import('../../supabase/embedded/keys')
  const { createMailer } = await import('../../supabase/embedded/mail/mailer')
  const release = openDataDirectory(directory)
  const mail = createMailer({ hasMailbox: false, siteUrl: () => 'http://localhost' })
  try {
    const core = await openCore({
      root,
      pgliteUrl: databaseDirectory(directory),
      blank: false,
      ...(process.env.DATABASE_URL ? { databaseUrl: process.env.DATABASE_URL } : {}),
      demo: false,
      keys: generateKeys(),
      siteUrl: 'http://localhost',
      mail,
      log: () => undefined,
    })
    try {
      return await read(core.database.query)
    } finally {
      await core.close()
    }
  } finally {
    mail.close()
    release()
  }
}

export const liveCatalog = (root: string): Promise<Catalog | null> =>
  askDatabase(root, 'catalog', null, readCatalog)

export const liveRowCount = (root: string, table: string): Promise<number | null> =>
  askDatabase(root, 'count', table, (query) => countRows(query, table))

/** Asks the rows that are in use, as `askRows` does; null for each where there is no database yet. */
export async function askLiveRows(
  root: string,
  questions: readonly string[],
): Promise<(Record<string, unknown>[] | null)[]> {
  if (questions.length === 0) return []
  const answers = await askDatabase(root, 'rows', questions, (query) => askRows(query, questions))
  return answers ?? questions.map(() => null)
}

/** Tells the person at the terminal what happened after files were written. */
export function tellApplied(applied: string[] | null, isShown: boolean): string {
  if (applied === null)
    return 'No console runs on this data directory: the migrations are applied when it next starts.'
  const what =
    applied.length === 0
      ? 'The running console had every migration already.'
      : `Applied to the running console: ${applied.join(', ')}.`
  return isShown ? `${what} Its open pages show the change.` : what
}
