import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Catalog, readCatalog } from '../../supabase/embedded/catalog'
import { askServer } from '../../supabase/embedded/control'
import { openCore } from '../../supabase/embedded/core'
import { databaseDirectory, holderPid, lockDirectory } from '../../supabase/embedded/data-dir'
import { generateKeys } from '../../supabase/embedded/keys'
import { createMailer } from '../../supabase/embedded/mail/mailer'
import { dataDir } from '../support/environment'

/** Applies what is pending to the console that runs on the data directory; null when none runs. */
export async function applyToRunning(): Promise<string[] | null> {
  const directory = dataDir()
  return holderPid(directory) ? askServer<string[]>(directory, 'migrate') : null
}

/** Lets open pages see files that changed. False when the console serves a build, which has them inside. */
export async function refreshRunning(): Promise<boolean> {
  const directory = dataDir()
  return holderPid(directory) ? askServer<boolean>(directory, 'refresh') : false
}

/** The database of the data directory, through the server that runs on it, or opened for the moment. */
export async function liveCatalog(root: string): Promise<Catalog | null> {
  const directory = dataDir()
  if (holderPid(directory)) return askServer<Catalog>(directory, 'catalog')
  if (!process.env.DATABASE_URL && !existsSync(databaseDirectory(directory))) return null
  const release = lockDirectory(resolve(directory))
  const mail = createMailer({ siteUrl: () => 'http://localhost' })
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
      return await readCatalog(core.database.query)
    } finally {
      await core.close()
    }
  } finally {
    mail.close()
    release()
  }
}

/** What the person at the terminal wants to know after files were written. */
export function tellApplied(applied: string[] | null, reloaded: boolean): string {
  if (applied === null)
    return 'No console runs on this data directory: the migrations are applied when it next starts.'
  const what =
    applied.length === 0
      ? 'The running console had every migration already.'
      : `Applied to the running console: ${applied.join(', ')}.`
  return `${what} ${reloaded ? 'Its open pages reload.' : 'It serves a build: restart `npm start` to see changed definitions and words.'}`
}
