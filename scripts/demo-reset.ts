/** Throws the embedded database away and loads the demo data anew, in the running server or without one. */
import { askServer } from '../supabase/embedded/control'
import { holderPid, wipeDatabase } from '../supabase/embedded/data-dir'
import { startServer } from '../supabase/embedded/server'
import { StartError } from '../supabase/embedded/start-error'
import { dataDir, main } from './support/environment'

await main(async () => {
  if (process.env.DATABASE_URL)
    throw new StartError(
      'The demo data is loaded into the embedded database only, not into that of DATABASE_URL.',
    )
  const directory = dataDir()
  if (holderPid(directory)) {
    await askServer(directory, 'demo-reset')
  } else {
    const options = {
      port: 0,
      host: '127.0.0.1',
      dataDir: directory,
      demo: true,
      serveDist: null,
      timers: false,
    }
    const server = await startServer({ ...options, beforeOpen: () => wipeDatabase(directory) })
    await server.stop()
  }
  console.log('The demo data was reset.')
  process.exit(0)
})
