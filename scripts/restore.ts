/**
 * Puts a backup in place, in the running server or without one. What stood there is moved aside, never overwritten.
 *
 *   npm run restore -- file.zip
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { POSTGRES_HINT, prepareRestore } from '../supabase/embedded/backup'
import { askServer } from '../supabase/embedded/control'
import { holderPid } from '../supabase/embedded/data-dir'
import { openDataDirectory } from '../supabase/embedded/private-files'
import { StartError } from '../supabase/embedded/start-error'
import { dataDir, main } from './support/environment'

await main(async () => {
  const { positionals } = parseArgs({ allowPositionals: true })
  if (process.env.DATABASE_URL) throw new StartError(POSTGRES_HINT)
  if (!positionals[0] || positionals.length > 1) throw new StartError('Usage: npm run restore -- file.zip')
  const file = resolve(positionals[0])
  const directory = dataDir()
  let aside: string[]
  if (holderPid(directory)) {
    aside = await askServer<string[]>(directory, 'restore', file)
  } else {
    const release = openDataDirectory(directory)
    try {
      aside = (await prepareRestore(file, directory))()
    } finally {
      release()
    }
  }
  console.log(`${file} was restored into ${resolve(directory)}.`)
  for (const path of aside) console.log(`The previous data is in ${path}.`)
  process.exit(0)
})
