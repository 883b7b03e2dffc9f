import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { definitionValidator } from '../../scripts/support/definition-validator'
import { ONE_FILE } from '../../scripts/support/one-file'
import { digest } from '../../supabase/embedded/migrations'

const ROOT = resolve(import.meta.dirname, '../..')
/** At the same depth as the sources, which resolve the project folder relative to themselves. */
const FOLDER = join(ROOT, 'supabase/.temp')
const SOURCES = ['agent', 'scripts', 'src', 'supabase/embedded', 'tests/support']
const KEPT = 12

/**
 * For a process that lives a moment: what WASM it runs is compiled once and quickly, not a second time for a speed
 * that it never has use for. Half of the work of a start.
 */
export const BRIEF = ['--liftoff-only']

/** The options that `npm start` gives Node. */
export const START = (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } }
).scripts.start
  .split(' ')
  .filter((word) => word.startsWith('--'))

function sources(): string {
  const files = SOURCES.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.m?[jt]s$/.test(name))
      .map((name) => join(folder, name)),
  )
  return files
    .sort()
    .map((file) => `${file}\n${readFileSync(join(ROOT, file), 'utf8')}`)
    .join('\0')
}

/** 0 when another worker has just taken it away. */
const timeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

async function make(entry: string, file: string): Promise<void> {
  const { build } = await import('vite')
  const draft = `.program-${process.pid}-${basename(file)}`
  const { NODE_ENV } = process.env
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    plugins: [definitionValidator()],
    resolve: { alias: { '@': join(ROOT, 'src') } },
    ssr: ONE_FILE,
    build: {
      ssr: entry,
      target: 'node20',
      outDir: join(FOLDER, draft),
      rollupOptions: { output: { entryFileNames: basename(file), codeSplitting: false } },
    },
  })
  // Vite writes it: a console that is started from here would run `npm run dev` as production.
  if (NODE_ENV === undefined) delete process.env.NODE_ENV
  // Written to a temporary file and renamed, so that nobody runs a partial one.
  renameSync(join(FOLDER, draft, basename(file)), file)
  rmSync(join(FOLDER, draft), { recursive: true, force: true })
  const old = readdirSync(FOLDER)
    .filter((name) => name.startsWith('program-'))
    .map((name) => ({ path: join(FOLDER, name), at: timeOf(join(FOLDER, name)) }))
    .sort((a, b) => b.at - a.at)
    .slice(KEPT)
  for (const { path } of old) rmSync(path, { force: true })
}

/**
 * A program of ours, as `new URL('./serve.ts', import.meta.url)`, in one file of plain JavaScript, for tests that
 * start it dozens of times: reading its sources through tsx is a third of each start. Made anew whenever a source
 * has changed.
 */
export async function program(source: URL): Promise<string> {
  const entry = fileURLToPath(source)
  const name = basename(entry, '.ts')
  const file = join(FOLDER, `program-${name}-${digest(`${entry}\0${sources()}`).slice(0, 16)}.mjs`)
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true })
    await make(entry, file)
  }
  return file
}
