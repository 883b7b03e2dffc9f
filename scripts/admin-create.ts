/**
 * Makes the first Super Admin, in the running server's database or in one without a server.
 *
 *   npm run admin:create -- you@example.com
 */
import { parseArgs } from 'node:util'
import { askServer } from '../supabase/embedded/control'
import { holderPid } from '../supabase/embedded/data-dir'
import { createAdmin } from '../supabase/embedded/operations'
import { startServer } from '../supabase/embedded/server'
import { StartError } from '../supabase/embedded/start-error'
import { main, serverOptions } from './support/environment'

await main(async () => {
  const { positionals } = parseArgs({ allowPositionals: true })
  const email = positionals[0]?.trim() ?? ''
  if (positionals.length !== 1 || !/^[^@\s]+@[^@\s]+$/.test(email))
    throw new StartError('Usage: npm run admin:create -- you@example.com')
  const options = serverOptions()
  let password: string
  if (holderPid(options.dataDir)) {
    password = await askServer<string>(options.dataDir, 'admin-create', email)
  } else {
    const quiet = { port: 0, host: '127.0.0.1', serveDist: null, timers: false, demo: false }
    const server = await startServer({ ...options, ...quiet })
    try {
      password = await createAdmin(server.query, email)
    } finally {
      await server.stop()
    }
  }
  console.log(`${email} is Super Admin. Password (shown only once): ${password}`)
  process.exit(0)
})
