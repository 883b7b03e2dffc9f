/**
 * Writes the embedded database and its keys into one file, from a running server or without one.
 *
 *   npm run backup                 into konsol-<time>.zip here
 *   npm run backup -- file.zip
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { POSTGRES_HINT, writeBackup } from '../supabase/embedded/backup'
import { askServer } from '../supabase/embedded/control'
import { databaseDirectory, hasDatabase, holderPid } from '../supabase/embedded/data-dir'
import { openPglite } from '../supabase/embedded/database/pglite'
import { countFiles, filesFolder } from '../supabase/embedded/files/files'
import { openDataDirectory } from '../supabase/embedded/private-files'
import { StartError } from '../supabase/embedded/start-error'
import { dataDir, main } from './support/environment'

await main(async () => {
  const { positionals } = parseArgs({ allowPositionals: true })
  if (positionals.length > 1) throw new StartError('Usage: npm run backup -- [file]')
  if (process.env.DATABASE_URL) throw new StartError(POSTGRES_HINT)
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  const file = resolve(positionals[0] ?? `konsol-${stamp}.zip`)
  const directory = dataDir()
  if (holderPid(directory)) {
    await askServer(directory, 'backup', file)
  } else {
    if (!hasDatabase(directory)) throw new StartError(`There is no database in ${resolve(directory)}.`)
    const release = openDataDirectory(directory)
    try {
      const database = await openPglite({ dataDir: databaseDirectory(directory), log: console.error })
      try {
        await writeBackup(file, database, directory)
      } finally {
        await database.close()
      }
    } finally {
      release()
    }
  }
  console.log(`${file} contains the database and its keys. Protect it like a password.`)
  const { files, bytes } = countFiles(directory)
  if (files > 0)
    console.log(
      `Files of records and packages are not in it (${files} ${files === 1 ? 'file' : 'files'}, ${Math.ceil(bytes / 1024 ** 2)} MB): copy ${filesFolder(directory)} as well.`,
    )
  if (process.env.STORAGE_URL)
    console.log('Files of records and packages are in the bucket of STORAGE_URL: back that up as well.')
  process.exit(0)
})
