/**
 * Writes src/data/database.types.ts from the migrations, applied to a database in memory.
 *   npm run types              writes the file
 *   npm run types -- --check   writes nothing, fails when the file says something else
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../supabase/embedded/root'
import { startServer } from '../supabase/embedded/server'
import { renderTypes } from './database-types/render'

const file = join(ROOT, 'src/data/database.types.ts')

const server = await startServer({
  port: 0,
  host: '127.0.0.1',
  dataDir: 'memory://',
  demo: false,
  serveDist: null,
  timers: false,
  log: () => undefined,
})
const wanted = await renderTypes(server.query)
await server.stop()

if (!process.argv.includes('--check')) {
  writeFileSync(file, wanted)
  console.log('wrote src/data/database.types.ts')
} else if (readFileSync(file, 'utf8') !== wanted) {
  console.error('src/data/database.types.ts does not match the migrations. Run: npm run types')
  process.exitCode = 1
}
