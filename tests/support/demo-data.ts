/**
 * Writes the demo data of the browser tests into DATA_DIR, from the snapshot that the database tests begin with. Its
 * passwords are hashed with bcrypt's lowest cost: the server's own cost takes a tenth of a second of a core at every
 * sign-in, and every browser test signs in.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { databaseDirectory, markFinished } from '../../supabase/embedded/data-dir'
import { unpackTo } from '../../supabase/embedded/database/archive.mjs'
import { DEMO_PASSWORD } from '../../supabase/embedded/operations'
import { ROOT } from '../../supabase/embedded/root'
import { type RunningServer, startServer } from '../../supabase/embedded/server'
import { snapshotFile } from '../../supabase/embedded/snapshot'
import { hashCheaply } from './accounts'
import { madeOnce } from './made-once'

const dataDir = process.env.DATA_DIR
if (!dataDir) throw new Error('DATA_DIR is not set.')

const start = (folder: string): Promise<RunningServer> =>
  startServer({ port: 0, host: '127.0.0.1', dataDir: folder, demo: true, serveDist: null, timers: false })

const file = snapshotFile(ROOT, true)
await (await madeOnce(file, () => start('memory://')))?.stop()
mkdirSync(dataDir, { recursive: true, mode: 0o700 })
unpackTo(readFileSync(file), databaseDirectory(dataDir))
markFinished(dataDir)
const server = await start(dataDir)
await server.query("update auth.users set encrypted_password = $1 where email like '%.test'", [
  hashCheaply(DEMO_PASSWORD),
])
await server.stop()
process.exit(0)
