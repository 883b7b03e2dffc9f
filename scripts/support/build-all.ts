import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { holderPid, lockDirectory } from '../../supabase/embedded/data-dir'
import { ROOT } from '../../supabase/embedded/root'
import { ONE_FILE } from './one-file'

/** The definitions and their texts are left out: the running server reads them. */
const CONSOLE_SOURCES = [
  'src',
  'locales',
  'public',
  'agent',
  'index.html',
  'vite.config.ts',
  'package-lock.json',
  'casbin-model.conf',
]
const SERVER_SOURCES = ['supabase/embedded', 'scripts', 'src', 'package-lock.json']
/** Texts of definitions, which the server reads, and the types of the database, of which no code is made. */
const NOT_BUILT = /[\\/](locales[\\/][^\\/]+[\\/]resources|database\.types\.ts(\.new)?)$/
const CONSOLE_STAMP = join(ROOT, 'dist', '.built')
const SERVER_STAMP = join(ROOT, 'dist-server', '.built')
const TEXT = /\.(css|html|js|json|mjs|svg|txt|webmanifest|wasm)$/
/** Below this the header that names the encoding weighs as much as it saves. */
const LEAST_BYTES = 1024

function filesOf(path: string): string[] {
  if (!existsSync(path) || NOT_BUILT.test(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path).flatMap((name) => filesOf(join(path, name)))
}

const namesOf = (files: readonly string[], root: string): string =>
  createHash('sha256')
    .update(files.map((file) => relative(root, file)).join('\n'))
    .digest('hex')
    .slice(0, 16)

const sourceFiles = (sources: readonly string[], root: string): string[] =>
  sources.flatMap((source) => filesOf(join(root, source))).sort()

/** When a build began, and from which files: one that is removed later leaves no time behind. */
export const stampOf = (begun: number, sources: readonly string[], root = ROOT): string =>
  `${begun} ${namesOf(sourceFiles(sources, root), root)}`

export function isCurrent(stamp: string, sources: readonly string[], root = ROOT): boolean {
  if (!existsSync(stamp)) return false
  const [begun, names] = readFileSync(stamp, 'utf8').split(' ')
  const files = sourceFiles(sources, root)
  return names === namesOf(files, root) && files.every((file) => statSync(file).mtimeMs <= Number(begun))
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Once at build time, as small as it gets; the server only picks. */
async function compressFolder(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => TEXT.test(name))
  for (const name of files) {
    // The configuration is written into the page when it is served.
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

async function buildConsole(): Promise<void> {
  const [{ build }, { buildAgent }] = await Promise.all([import('vite'), import('../../agent/build')])
  await build({ root: ROOT, configFile: join(ROOT, 'vite.config.ts'), logLevel: 'warn' })
  await buildAgent(join(ROOT, 'dist-agent'))
  await compressFolder(join(ROOT, 'dist'))
}

/** Two folders deep, as its sources are. */
async function buildServer(): Promise<void> {
  const [{ build }, { definitionValidator }] = await Promise.all([
    import('vite'),
    import('./definition-validator'),
  ])
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    plugins: [definitionValidator()],
    resolve: { alias: { '@': join(ROOT, 'src') } },
    ssr: ONE_FILE,
    build: {
      ssr: join(ROOT, 'scripts/serve.ts'),
      outDir: join(ROOT, 'dist-server/bin'),
      target: 'node20',
      copyPublicDir: false,
      rollupOptions: { output: { entryFileNames: 'serve.mjs', codeSplitting: false } },
    },
  })
}

/** Two builds in one checkout would remove each other's files. */
async function lockBuild(): Promise<() => void> {
  const folder = join(ROOT, 'dist-server')
  for (let isFirst = true; ; isFirst = false) {
    try {
      return lockDirectory(folder)
    } catch (error) {
      if (holderPid(folder) === null) throw error
    }
    if (isFirst) console.log('Waiting for another build of this checkout …')
    await pause(500)
  }
}

interface BuildOptions {
  /** Builds what is current, too. */
  force?: boolean
  /** Runs before anything is built; what it gives runs afterwards. Neither runs where nothing is to be built. */
  duringBuild?: () => Promise<() => Promise<void>>
}

/** Builds what is older than its sources, or everything when forced. */
export async function buildAll({ force = false, duringBuild }: BuildOptions = {}): Promise<void> {
  const release = await lockBuild()
  try {
    await buildParts(force, duringBuild)
  } finally {
    release()
  }
}

async function buildParts(force: boolean, duringBuild: BuildOptions['duringBuild']): Promise<void> {
  const isConsoleCurrent =
    existsSync(join(ROOT, 'dist-agent/agent.mjs')) && isCurrent(CONSOLE_STAMP, CONSOLE_SOURCES)
  const parts = [
    { isCurrent: isConsoleCurrent, build: buildConsole, stamp: CONSOLE_STAMP, sources: CONSOLE_SOURCES },
    {
      isCurrent: isCurrent(SERVER_STAMP, SERVER_SOURCES),
      build: buildServer,
      stamp: SERVER_STAMP,
      sources: SERVER_SOURCES,
    },
  ].filter((part) => force || !part.isCurrent)
  if (parts.length === 0) return
  const started = Date.now()
  console.log('Building the console …')
  const finish = await duringBuild?.()
  try {
    for (const { build, stamp, sources } of parts) {
      const content = stampOf(Date.now(), sources)
      await build()
      writeFileSync(stamp, content)
    }
  } finally {
    await finish?.()
  }
  console.log(`Built in ${Math.round((Date.now() - started) / 1000)} s.`)
}
