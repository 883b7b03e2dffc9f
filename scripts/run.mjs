// @ts-check
/**
 * Runs a command of this folder, such as `node scripts/run.mjs resource check`, from files that are packed once: to find
 * and to translate hundreds of sources takes longer than most commands. They are packed again when any source of theirs
 * has changed.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKED = join(ROOT, 'supabase/.temp/commands')
const KEPT = 3
/** Sources that no import names, but that change the packed files. */
const SETTINGS = ['package.json', 'tsconfig.json', 'scripts/run.mjs']

/** @param {readonly string[]} inputs */
function digestOf(inputs) {
  const hash = createHash('sha256')
  for (const path of inputs) hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)))
  return hash.digest('hex')
}

/**
 * The packed command, if no source of it has changed.
 * @param {string} name
 */
function packed(name) {
  try {
    const { inputs, folder, entry } = JSON.parse(readFileSync(join(PACKED, `${name}.json`), 'utf8'))
    return folder === folderOf(name, inputs) ? join(PACKED, folder, entry) : undefined
  } catch {
    return undefined
  }
}

/**
 * @param {string} name
 * @param {readonly string[]} inputs
 */
const folderOf = (name, inputs) => `${name}-${digestOf(inputs).slice(0, 24)}`

/**
 * Another process may still read an older one.
 * @param {string} name
 */
function removeOld(name) {
  const old = readdirSync(PACKED)
    .filter((each) => each.startsWith(`${name}-`))
    .map((each) => ({ path: join(PACKED, each), at: statSync(join(PACKED, each)).mtimeMs }))
    .sort((a, b) => b.at - a.at)
  for (const { path } of old.slice(KEPT)) rmSync(path, { recursive: true, force: true })
}

/** @param {string} name */
async function pack(name) {
  // The translator of tsx, so that both read the sources in the same way.
  const require = createRequire(createRequire(import.meta.url).resolve('tsx/package.json'))
  const { build } = require('esbuild')
  const draft = join(PACKED, `${name}-${process.pid}.draft`)
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [`scripts/${name}.ts`],
    outdir: draft,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    metafile: true,
    logLevel: 'silent',
    outExtension: { '.js': '.mjs' },
    // Sources find the project from where they are: two folders below it.
    define: { 'import.meta.url': 'SOURCE_URL' },
    banner: {
      js: "const SOURCE_URL = new URL('../../../../scripts/command/source.mjs', import.meta.url).href;",
    },
  })
  const inputs = [...Object.keys(metafile.inputs), ...SETTINGS].sort()
  const output = Object.entries(metafile.outputs).find(
    ([, { entryPoint }]) => entryPoint === `scripts/${name}.ts`,
  )
  const folder = folderOf(name, inputs)
  const entry = basename(output?.[0] ?? '')
  try {
    renameSync(draft, join(PACKED, folder))
  } catch {
    // Another process has packed the same.
    rmSync(draft, { recursive: true, force: true })
  }
  const index = join(PACKED, `${name}.json`)
  writeFileSync(`${index}.${process.pid}`, JSON.stringify({ inputs, folder, entry }))
  renameSync(`${index}.${process.pid}`, index)
  removeOld(name)
  return join(PACKED, folder, entry)
}

const [name = '', ...words] = process.argv.slice(2)
process.argv = [process.argv[0] ?? 'node', join(ROOT, 'scripts', `${name}.ts`), ...words]
mkdirSync(PACKED, { recursive: true })
await import(pathToFileURL(packed(name) ?? (await pack(name))).href)
