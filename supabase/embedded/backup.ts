import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { databaseDirectory, markFinished, moveAside } from './data-dir'
import type { Database } from './database/database'
import { openPglite } from './database/pglite'
import { keysFile, parseKeys, type StoredKeys, writeKeys } from './keys'
import { appliedMigrations } from './migrations'
import { makePrivate, secureDirectory } from './private-files'
import { ROOT } from './root'
import { StartError } from './start-error'

const DATABASE = 'pgdata.tar.gz'
const KEYS = 'keys.json'

/**
 * Writes the database and the keys of its directory into one file, which lets its reader in: mode 0600.
 * @throws StartError when the file exists, or cannot be written.
 */
export async function writeBackup(file: string, database: Database, directory: string): Promise<void> {
  if (!database.dump) throw new StartError(POSTGRES_HINT)
  if (existsSync(file)) throw new StartError(`${file} already exists. Choose another file.`)
  const keys = readFileSync(keysFile(resolve(directory)), 'utf8')
  // Packed already.
  const packed = zipSync(
    { [KEYS]: strToU8(keys), [DATABASE]: new Uint8Array(await database.dump()) },
    { level: 0 },
  )
  const draft = `${file}.part`
  try {
    // A file that was there keeps its mode, and may be open already.
    rmSync(draft, { force: true })
    writeFileSync(draft, packed, { mode: 0o600, flag: 'wx' })
    makePrivate(draft)
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    if (error instanceof StartError) throw error
    throw new StartError(`${file} cannot be written: ${(error as Error).message}`)
  }
}

function readBackup(file: string): { keys: StoredKeys; database: Uint8Array } {
  let parts: Record<string, Uint8Array>
  try {
    parts = unzipSync(readFileSync(file))
  } catch (error) {
    throw new StartError(`${file} is not a readable backup: ${(error as Error).message}`)
  }
  const { [KEYS]: keys, [DATABASE]: database } = parts
  if (!keys || !database) throw new StartError(`${file} is not a backup of Konsol.`)
  return {
    keys: parseKeys(strFromU8(keys), `${KEYS} in ${file}`),
    database,
  }
}

function signingKeyIn(file: string): string | undefined {
  try {
    return parseKeys(readFileSync(file, 'utf8'), file).agentSigningKey
  } catch {
    return undefined
  }
}

/**
 * Unpacks a backup next to the current data and opens it, so that a bad backup changes nothing.
 * @returns puts it in place once nothing uses the directory; the previous data is moved aside, and its new
 * name returned.
 * @throws StartError when the file is not a backup, or of a newer version.
 */
export async function prepareRestore(file: string, directory: string): Promise<() => string[]> {
  const { keys, database: snapshot } = readBackup(file)
  const target = databaseDirectory(directory)
  const draft = `${target}.restoring`
  rmSync(draft, { recursive: true, force: true })
  try {
    const database = await openPglite({ dataDir: draft, snapshot, log: () => undefined })
    try {
      await appliedMigrations(
        database,
        join(ROOT, 'supabase/migrations'),
        'Restore a backup that this version made.',
      )
      await database.query('select 1 from public.companies limit 1')
    } finally {
      await database.close()
    }
    secureDirectory(directory)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (error instanceof StartError) throw error
    throw new StartError(`${file} does not contain a Konsol database: ${(error as Error).message}`)
  }
  return () => {
    const file = keysFile(resolve(directory))
    const signingKey = signingKeyIn(file)
    const aside = [target, file].filter((path) => existsSync(path)).map((path) => moveAside(path))
    renameSync(draft, target)
    // Devices go on trusting the key that they know, when the backup is of before there was one.
    writeKeys(file, signingKey === undefined ? keys : { agentSigningKey: signingKey, ...keys })
    markFinished(directory)
    return aside
  }
}

export const POSTGRES_HINT =
  'The database of DATABASE_URL is backed up with PostgreSQL itself: pg_dump --format=custom "$DATABASE_URL" > konsol.dump, ' +
  'and pg_restore --clean --if-exists --dbname "$DATABASE_URL" konsol.dump. Keep keys.json and files/ of DATA_DIR beside it.'
