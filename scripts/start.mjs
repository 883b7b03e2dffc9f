/**
 * Starts the console with everything it needs, building first what is older than its sources. The build runs in a
 * process of its own, which takes its memory with it.
 *
 *   npm start              with demo data, if the database is new
 *   npm start -- --empty   without
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const build = fileURLToPath(new URL('build.ts', import.meta.url))
const { status } = spawnSync(process.execPath, ['--import', 'tsx', build, '--if-older'], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
await import(new URL('../dist-server/bin/serve.mjs', import.meta.url).href)
