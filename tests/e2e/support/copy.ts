import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { BRIEF, program } from '../../support/program'
import { withoutAdded } from '../../support/without-added'

const ROOT = resolve(import.meta.dirname, '../../..')

/** A tree of the product of one's own, in which a test may do what an administrator would. */
export interface Copy {
  root: string
  /** A command, to its end. @throws with what it said when it fails */
  run: (script: 'resource' | 'policies', ...args: string[]) => Promise<string>
  /** Starts one of `scripts/`, `dev` or `start`, on the copy's own data, and gives the console's address. */
  start: (script: string, ...args: string[]) => Promise<string>
  /** The console's output so far. */
  log: () => string
  /** A fingerprint of a folder's files. */
  fingerprint: (folder: string) => string
  remove: () => Promise<void>
}

/** The commands that tests give, packed: read through tsx, a command would take twice as long. */
const PACKED = ['resource', 'policies']

/** Commands write the types of the database they change. */
const GENERATED = 'data/database.types.ts'

export function fingerprintOf(folder: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name === GENERATED) continue
    const path = join(folder, name)
    if (statSync(path).isFile()) hash.update(`${name}\n`).update(readFileSync(path))
  }
  return hash.digest('hex')
}

export const originalFingerprint = (folder: string): string => fingerprintOf(join(ROOT, folder))

function freePort(): Promise<number> {
  return new Promise((done, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => done(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

function copyTree(to: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64_000_000,
  })
  for (const file of listed.split('\0')) {
    // The tree's own tests stay behind.
    if (file === '' || /^(tests\/|node_modules$)/.test(file)) continue
    mkdirSync(dirname(join(to, file)), { recursive: true })
    cpSync(join(ROOT, file), join(to, file), { force: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'))
}

/** Copies the build of the suite, which serves the copy too: definitions and their texts are no part of it. */
function copyBuild(to: string): void {
  if (!existsSync(join(ROOT, 'dist/.built')) || !existsSync(join(ROOT, 'dist-server/.built'))) return
  for (const folder of ['dist', 'dist-server', 'dist-agent'])
    cpSync(join(ROOT, folder), join(to, folder), { recursive: true })
  // Newer than the sources, which were copied a moment ago.
  for (const folder of ['dist', 'dist-server']) {
    const [, names] = readFileSync(join(ROOT, folder, '.built'), 'utf8').split(' ')
    writeFileSync(join(to, folder, '.built'), `${Date.now()} ${names}`)
  }
}

/** @param settings environment of its console and commands, such as `DATABASE_URL` */
export async function makeCopy(settings: Record<string, string> = {}): Promise<Copy> {
  const root = mkdtempSync(join(tmpdir(), 'konsol-copy-'))
  copyTree(root)
  copyBuild(root)
  mkdirSync(join(root, 'supabase/.temp'), { recursive: true })
  // Or its first command would apply every migration to a database of its own.
  const snapshots = 'supabase/.temp/snapshots'
  if (existsSync(join(ROOT, snapshots)))
    cpSync(join(ROOT, snapshots), join(root, snapshots), { recursive: true })
  for (const script of PACKED)
    cpSync(
      await program(new URL(`../../../scripts/${script}.ts`, import.meta.url)),
      join(root, `supabase/.temp/${script}.mjs`),
    )
  const demo = process.env.E2E_DEMO_DATA
  if (demo) cpSync(demo, join(root, 'data'), { recursive: true })
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_DIR: join(root, 'data'),
    RATE_LIMIT_FACTOR: '100',
    ...settings,
  }
  let server: ChildProcess | undefined
  let said = ''
  const run: Copy['run'] = (script, ...args) =>
    new Promise((done, reject) => {
      execFile(
        process.execPath,
        [...BRIEF, `supabase/.temp/${script}.mjs`, ...args],
        { cwd: root, env },
        (error, out, said) =>
          error ? reject(new Error(`${script} ${args.join(' ')}\n${out}${said}`)) : done(out),
      )
    })
  await withoutAdded(root, (name) => run('resource', 'remove', name, '--drop', '--yes'))
  return {
    root,
    run,
    start: (script, ...args) =>
      new Promise((done, reject) => {
        // `npm start` runs as plain JavaScript.
        const plain = `scripts/${script}.mjs`
        const file = existsSync(join(root, plain)) ? [plain] : ['--import', 'tsx', `scripts/${script}.ts`]
        const child = spawn(process.execPath, [...BRIEF, ...file, ...args], {
          cwd: root,
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        server = child
        const listen = (chunk: Buffer) => {
          said += String(chunk)
          if (said.includes('Ctrl+C stops it.')) done(`http://127.0.0.1:${port}`)
        }
        child.stdout.on('data', listen)
        child.stderr.on('data', listen)
        child.once('exit', (code) => reject(new Error(`${script} ended with ${code}:\n${said}`)))
      }),
    log: () => said,
    fingerprint: (folder) => fingerprintOf(join(root, folder)),
    remove: async () => {
      if (server && server.exitCode === null) {
        const ended = new Promise((done) => server?.once('exit', done))
        server.kill('SIGTERM')
        await ended
      }
      rmSync(root, { recursive: true, force: true })
    },
  }
}
