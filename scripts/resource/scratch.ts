import { type Catalog, readCatalog } from '../../supabase/embedded/catalog'
import { openCore } from '../../supabase/embedded/core'
import type { Query } from '../../supabase/embedded/database/database'
import { generateKeys } from '../../supabase/embedded/keys'
import { createMailer } from '../../supabase/embedded/mail/mailer'

export interface Scratch {
  catalog: Catalog
  /** Tries statements as a migration would run them; leaves what they made. @throws with Postgres' message. */
  run: (sql: string) => Promise<void>
  read: () => Promise<Catalog>
  query: Query
  stop: () => Promise<void>
}

/** The migrated database in memory: what every migration of the tree together says, wherever a server runs. */
export async function openScratch(root: string): Promise<Scratch> {
  const siteUrl = 'http://localhost'
  const log = () => undefined
  const mail = createMailer({ siteUrl: () => siteUrl })
  const { database, close } = await openCore({
    root,
    pgliteUrl: 'memory://',
    blank: true,
    demo: false,
    brief: true,
    keys: generateKeys(),
    siteUrl,
    mail,
    log,
  })
  const read = () => readCatalog(database.query)
  return {
    catalog: await read(),
    run: (sql) => database.script(sql, database.owner),
    read,
    query: database.query,
    stop: async () => {
      mail.close()
      await close()
    },
  }
}

/** Reads the migrated database and closes it again. */
export async function migratedCatalog(root: string): Promise<Catalog> {
  const scratch = await openScratch(root)
  await scratch.stop()
  return scratch.catalog
}
