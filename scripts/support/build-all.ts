import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'
import { buildAgent } from '../../agent/build'
import { ROOT } from '../../supabase/embedded/root'

const SOURCES = [
  'src',
  'resources',
  'locales',
  'policies',
  'public',
  'agent',
  'index.html',
  'vite.config.ts',
  'package-lock.json',
  'casbin-model.conf',
]
const STAMP = join(ROOT, 'dist', '.built')
const TEXT = /\.(css|html|js|json|mjs|svg|txt|webmanifest|wasm)$/
/** Below this the header that names the encoding weighs as much as it saves. */
const LEAST_BYTES = 1024

function newest(path: string): number {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  const names = readdirSync(path)
  // The folder's own time tells of files that were removed.
  return Math.max(stat.mtimeMs, ...names.map((name) => newest(join(path, name))))
}

function isCurrent(): boolean {
  if (!existsSync(STAMP) || !existsSync(join(ROOT, 'dist-agent/agent.mjs'))) return false
  const built = Number(readFileSync(STAMP, 'utf8'))
  return SOURCES.every((source) => newest(join(ROOT, source)) <= built)
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Once at build time, as small as it gets; the server only picks. */
async function compressFolder(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => TEXT.test(name))
  for (const name of files) {
    // The page gets its configuration written in as it is served.
    if (name === 'index.html') continue
    const content = readFileSync(join(folder, name))
    if (content.length < LEAST_BYTES) continue
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    }
    const [br, gz] = await Promise.all([brotli(content, { params }), zip(content, { level: 9 })])
    writeFileSync(join(folder, `${name}.br`), br)
    writeFileSync(join(folder, `${name}.gz`), gz)
  }
}

/** Builds what is older than its sources, or everything when forced. */
export async function buildAll({ force = false, quiet = false } = {}): Promise<void> {
  if (!force && isCurrent()) return
  const started = Date.now()
  if (!quiet) console.log('Building the console …')
  await build({ root: ROOT, configFile: join(ROOT, 'vite.config.ts'), logLevel: 'warn' })
  await buildAgent(join(ROOT, 'dist-agent'))
  await compressFolder(join(ROOT, 'dist'))
  writeFileSync(STAMP, String(started))
  if (!quiet) console.log(`Built in ${Math.round((Date.now() - started) / 1000)} s.`)
}
