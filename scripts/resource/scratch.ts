import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { OWNER } from '../../supabase/embedded/bootstrap'
import { type Catalog, readCatalog } from '../../supabase/embedded/catalog'
import { withoutBudget } from '../../supabase/embedded/database/budget.mjs'
import type { Query } from '../../supabase/embedded/database/database'
import { Engine } from '../../supabase/embedded/database/engine'
import { applyNewest, digest } from '../../supabase/embedded/migrations'
import { replaceFile } from '../../supabase/embedded/replace-file'
import { emptySnapshot, snapshotFile } from '../../supabase/embedded/snapshot'

export interface Scratch {
  catalog: Catalog
  /** Tries statements as a migration would run them; leaves what they made. @throws with Postgres' message. */
  run: (sql: string) => Promise<void>
  read: () => Promise<Catalog>
  query: Query
  stop: () => Promise<void>
}

/** Migrations that are applied in the time in which a snapshot is packed. */
const FEW_PENDING = 4

type Opened = Pick<Scratch, 'run' | 'query' | 'stop'>

/** The database that an earlier command or start kept, without the server around it; null where none is kept. */
async function openKept(root: string): Promise<Opened | null> {
  const kept = emptySnapshot(root)
  if (!kept || kept.pending > FEW_PENDING) return null
  const engine = await Engine.open({ dataDir: 'memory://', snapshot: kept.packed, log: () => undefined })
  const query: Query = async <R>(sql: string, params: readonly unknown[] = []) =>
    ((await engine.send({ kind: 'query', sql, params })).rows ?? []) as R[]
  const script = (sql: string, role: string | null = null) =>
    withoutBudget(async () => void (await engine.send({ kind: 'script', sql, role })))
  try {
    await applyNewest({ script, owner: OWNER }, join(root, 'supabase/migrations'), kept.pending)
  } catch (error) {
    await engine.close()
    throw error
  }
  return { query, run: (sql) => script(sql, OWNER), stop: () => engine.close() }
}

/** Makes the database by its migrations, and keeps it for the next command. */
async function openNew(root: string): Promise<Opened> {
  // The server around the database is a second of processor time, and needed to make it only.
  const { openCore } = await import('../../supabase/embedded/core')
  const { generateKeys } = await import('../../supabase/embedded/keys')
  const { createMailer } = await import('../../supabase/embedded/mail/mailer')
  const siteUrl = 'http://localhost'
  const mail = createMailer({ hasMailbox: false, siteUrl: () => siteUrl })
  const { database, close } = await openCore({
    root,
    pgliteUrl: 'memory://',
    blank: true,
    demo: false,
    brief: true,
    keys: generateKeys(),
    siteUrl,
    mail,
    log: () => undefined,
  })
  return {
    query: database.query,
    run: (sql) => database.script(sql, database.owner),
    stop: async () => {
      mail.close()
      await close()
    },
  }
}

const KEPT_CATALOGS = 6

/** Named by all that the catalog depends on: the migrations, what makes the database, and how it is read. */
function catalogFile(root: string): string {
  const reader = readFileSync(join(root, 'supabase/embedded/catalog.ts'), 'utf8')
  const name = digest(`${basename(snapshotFile(root, false))}\0${reader}`).slice(0, 24)
  return join(root, 'supabase/.temp/catalogs', `${name}.json`)
}

function readKeptCatalog(root: string): Catalog | null {
  try {
    return JSON.parse(readFileSync(catalogFile(root), 'utf8')) as Catalog
  } catch {
    return null
  }
}

/** A full disk only costs speed. */
function keepCatalog(root: string, catalog: Catalog): void {
  try {
    const file = catalogFile(root)
    mkdirSync(dirname(file), { recursive: true })
    replaceFile(file, Buffer.from(JSON.stringify(catalog)), { draft: `${file}.${process.pid}` })
    const others = readdirSync(dirname(file)).filter(
      (name) => name.endsWith('.json') && name !== basename(file),
    )
    for (const name of others.slice(KEPT_CATALOGS)) rmSync(join(dirname(file), name), { force: true })
  } catch {
    // The next command reads it again.
  }
}

/** The migrated database in memory: what every migration of the tree together says, wherever a server runs. */
export async function openScratch(root: string): Promise<Scratch> {
  const opened = (await openKept(root)) ?? (await openNew(root))
  const read = () => readCatalog(opened.query)
  const kept = readKeptCatalog(root)
  const catalog = kept ?? (await read())
  if (!kept) keepCatalog(root, catalog)
  return { ...opened, catalog, read }
}

/** The catalog of the migrated database, which is opened only where no command has read it before. */
export async function migratedCatalog(root: string): Promise<Catalog> {
  const kept = readKeptCatalog(root)
  if (kept) return kept
  const scratch = await openScratch(root)
  await scratch.stop()
  return scratch.catalog
}
