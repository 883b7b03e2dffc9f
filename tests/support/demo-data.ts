/**
 * Loads the demo data of the browser tests into DATA_DIR. Its passwords are hashed with bcrypt's lowest cost: the
 * server's own cost takes a tenth of a second of a core at every sign-in, and every browser test signs in.
 */
import { DEMO_PASSWORD } from '../../supabase/embedded/operations'
import { startServer } from '../../supabase/embedded/server'
import { hashCheaply } from './accounts'

const dataDir = process.env.DATA_DIR
if (!dataDir) throw new Error('DATA_DIR is not set.')
const server = await startServer({
  port: 0,
  host: '127.0.0.1',
  dataDir,
  demo: true,
  serveDist: null,
  timers: false,
})
await server.query("update auth.users set encrypted_password = $1 where email like '%.test'", [
  hashCheaply(DEMO_PASSWORD),
])
await server.stop()
process.exit(0)
