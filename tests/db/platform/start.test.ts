import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
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
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { serverOptions } from '../../../scripts/support/environment'
import { askServer } from '../../../supabase/embedded/control'
import type { ServerOptions } from '../../../supabase/embedded/options'
import { startServer } from '../../../supabase/embedded/server'
import { patience } from '../../support/patience'
import { BRIEF, program } from '../../support/program'

const ROOT = resolve(import.meta.dirname, '../../..')
const SOURCES = {
  serve: new URL('../../support/serve.ts', import.meta.url),
  'admin-create': new URL('../../../scripts/admin-create.ts', import.meta.url),
  'demo-reset': new URL('../../../scripts/demo-reset.ts', import.meta.url),
  backup: new URL('../../../scripts/backup.ts', import.meta.url),
  restore: new URL('../../../scripts/restore.ts', import.meta.url),
}
type Script = keyof typeof SOURCES

const packed = new Map<Script, string>()
const running = new Set<ChildProcess>()
let folder: string

beforeAll(async () => {
  for (const [script, source] of Object.entries(SOURCES)) packed.set(script as Script, await program(source))
  folder = mkdtempSync(join(tmpdir(), 'konsol-start-'))
})
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await Promise.all([...running].map((child) => ended(child)))
  rmSync(folder, { recursive: true, force: true })
})
afterEach(() => vi.unstubAllEnvs())

const data = () => join(folder, 'data')

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((done) => child.once('exit', (code) => done(code)))
}

interface Run {
  child: ChildProcess
  output: () => string
  errors: () => string
}

function start(how: string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, how, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DATA_DIR: data(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    said.out += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    said.err += String(chunk)
  })
  return { child, output: () => said.out, errors: () => said.err }
}

const run = (script: Script, args: string[] = [], env: Record<string, string> = {}) =>
  start([...BRIEF, packed.get(script) ?? '', ...args], env)
const serve = (env: Record<string, string> = {}) => start([...BRIEF, packed.get('serve') ?? ''], env)
const isThorough = process.env.THOROUGH === '1'
/** From a tree with the first file of the demo data, the companies and accounts: the rest takes ten seconds of a core. */
function serveCompanies(env: Record<string, string>): Run {
  if (isThorough) return serve(env)
  const tree = join(folder, 'tree')
  const program = join(tree, 'supabase/.temp/serve.mjs')
  mkdirSync(join(ROOT, 'supabase/.temp/snapshots'), { recursive: true })
  for (const path of [
    'node_modules',
    'supabase/embedded',
    'supabase/migrations',
    'locales',
    'supabase/.temp/snapshots',
  ]) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    symlinkSync(join(ROOT, path), join(tree, path), 'junction')
  }
  const seed = 'supabase/seed/10_companies.sql'
  cpSync(join(ROOT, seed), join(tree, seed))
  cpSync(packed.get('serve') ?? '', program)
  return start([...BRIEF, program], env)
}
/** As the package's scripts do it: a command is started so once, and packed otherwise. */
const runSources = (script: Script, args: string[] = []) =>
  start(['--import', 'tsx', fileURLToPath(SOURCES[script]), ...args])

interface Ready extends Run {
  url: string
  key: string
  secret: string
}

async function ready(started: Run): Promise<Ready> {
  await expect
    .poll(() => started.output().includes('ready') || started.child.exitCode !== null, {
      timeout: patience(110_000),
    })
    .toBe(true)
  const [, url = '', key = '', secret = ''] = started.output().trim().split(' ')
  expect(url, started.errors()).toMatch(/^http/)
  return { ...started, url, key, secret }
}

/** Exit code 1 and one line that says what to do. */
async function refusal(started: Run): Promise<string> {
  expect(await ended(started.child)).toBe(1)
  const lines = started.errors().trim().split('\n')
  expect(lines).toHaveLength(1)
  return lines[0] ?? ''
}

const rest = (server: Ready, path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/rest/v1/${path}`, {
    ...init,
    headers: { apikey: server.secret, 'content-type': 'application/json', prefer: 'return=representation' },
  })

const names = async (server: Ready) =>
  ((await (await rest(server, 'companies?select=name&limit=1000')).json()) as { name: string }[]).map(
    (row) => row.name,
  )
const add = async (server: Ready, name: string) =>
  (await rest(server, 'companies', { method: 'POST', body: JSON.stringify({ name }) })).status

/** Paths below a data directory that other accounts of the machine could open. */
const openPaths = (directory: string) =>
  ['.', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })].filter(
    (path) => (statSync(join(directory, path)).mode & 0o077) !== 0,
  )

const LONG = 240_000

/** In this process: what a start refuses is the same, and one of them is started as a process below. */
const startHere = (options: Partial<ServerOptions> = {}) =>
  startServer({
    port: 0,
    host: '127.0.0.1',
    dataDir: join(folder, 'here'),
    demo: false,
    serveDist: null,
    timers: false,
    log: () => undefined,
    ...options,
  })

it('says that the port is taken', { timeout: LONG }, async () => {
  const other = createServer()
  const port = await new Promise<number>((done) =>
    other.listen(0, '127.0.0.1', () => done((other.address() as { port: number }).port)),
  )
  expect(await refusal(serve({ PORT: String(port) }))).toContain(`Port ${port} of 127.0.0.1 is taken`)
  other.close()
})

it('refuses weak secrets and wrong settings when others can reach it', { timeout: LONG }, async () => {
  for (const port of ['eighty', '70000']) {
    vi.stubEnv('PORT', port)
    expect(() => serverOptions()).toThrow('PORT must be a number')
  }
  vi.stubEnv('PORT', '0')
  for (const address of ['console.example', 'ftp://console.example']) {
    vi.stubEnv('SITE_URL', address)
    await expect(startHere(serverOptions())).rejects.toThrow('SITE_URL must be an http')
  }
  vi.stubEnv('SITE_URL', '')
  vi.stubEnv('DATABASE_URL', 'postgres://nobody@127.0.0.1:1/none')
  await expect(startHere(serverOptions())).rejects.toThrow('DATABASE_URL')
  vi.stubEnv('DATABASE_URL', '')
  vi.stubEnv('HOST', '0.0.0.0')
  vi.stubEnv('JWT_SECRET', 'a-secret-that-is-in-every-tutorial')
  await expect(startHere(serverOptions())).rejects.toThrow('JWT_SECRET is too weak')
})

/** In order, on one data directory: each server of a test's own would cost two seconds of a core. */
describe('a data directory', () => {
  const file = () => join(folder, 'backup.zip')
  const acknowledged: string[] = []
  let first: Ready
  let again: Ready

  it('is taken over from a first start that was killed, and refuses a second server', {
    timeout: LONG,
  }, async () => {
    mkdirSync(join(data(), 'pgdata', 'base'), { recursive: true })
    writeFileSync(join(data(), 'pgdata', 'PG_VERSION'), '17\n')
    chmodSync(data(), 0o755)
    first = await ready(serve())
    expect(openPaths(data())).toEqual([])
    expect(first.errors()).toContain('is incomplete')
    const keys = join(data(), 'keys.json')
    expect(statSync(keys).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(keys, 'utf8')).publishableKey).toBe(first.key)
    expect(await refusal(serve())).toMatch(/data directory .* is in use by process \d+/)
  })

  it('gets its first Super Admin once, and a backup', { timeout: LONG }, async () => {
    const create = 'admin-create'
    expect(await refusal(run(create))).toContain('Usage')
    const made = runSources(create, ['first@acme.example'])
    expect(await ended(made.child), made.errors()).toBe(0)
    const password = made.output().trim().split(' ').at(-1) ?? ''
    const signIn = await fetch(`${first.url}/auth/v1/token?grant_type=password`, {
      method: 'POST',
      headers: { apikey: first.key, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'first@acme.example', password }),
    })
    expect(signIn.status).toBe(200)
    await expect(askServer(data(), create, 'second@acme.example')).rejects.toThrow('exists already')

    expect(await add(first, 'Backed up')).toBe(201)
    // An unfinished backup that everybody may read does not give its mode to the next one.
    writeFileSync(`${file()}.part`, '', { mode: 0o644 })
    const backup = run('backup', [file()])
    expect(await ended(backup.child), backup.errors()).toBe(0)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    await expect(askServer(data(), 'backup', file())).rejects.toThrow('already exists')
    expect(await add(first, 'Later')).toBe(201)
  })

  it('loses no acknowledged write to a kill, nor its accounts, and opens without its marker', {
    timeout: LONG,
  }, async () => {
    const writing = (async () => {
      for (let n = 0; n < 500; n++) {
        const name = `Company ${n}`
        if ((await add(first, name).catch(() => null)) !== 201) return
        acknowledged.push(name)
      }
    })()
    await expect.poll(() => acknowledged.length, { timeout: patience(60_000) }).toBeGreaterThan(20)
    first.child.kill('SIGKILL')
    await writing
    await ended(first.child)
    expect(existsSync(join(data(), 'lock'))).toBe(true)
    // Refused without a server, it is the process that says so.
    expect(await refusal(run('admin-create', ['second@acme.example']))).toContain('exists already')

    rmSync(join(data(), 'ready'))
    // Nor does it get demo data, which a database that began without never does.
    again = await ready(serveCompanies({ DEMO: '1' }))
    expect(again.key).toBe(first.key)
    const kept = await names(again)
    expect(kept.filter((name) => !/^Company \d+$/.test(name)).sort()).toEqual(['Backed up', 'Later'])
    expect(acknowledged.filter((name) => !kept.includes(name))).toEqual([])
  })

  it('is restored from a backup, beside a running server and on a fresh directory', {
    timeout: LONG,
  }, async () => {
    const before = await names(again)
    writeFileSync(join(folder, 'other.zip'), 'not a backup')
    await expect(askServer(data(), 'restore', join(folder, 'other.zip'))).rejects.toThrow(
      'is not a readable backup',
    )
    expect(await names(again)).toEqual(before)
    chmodSync(data(), 0o755)
    const over = run('restore', [file()])
    expect(await ended(over.child), over.errors()).toBe(0)
    expect(openPaths(data())).toEqual([])
    expect(over.output()).toMatch(/previous data is in .*pgdata\.aside-/)
    expect(await names(again)).toEqual(['Backed up'])

    const dataDir = join(folder, 'fresh')
    mkdirSync(dataDir, { mode: 0o755 })
    const restore = run('restore', [file()], { DATA_DIR: dataDir })
    expect(await ended(restore.child), restore.errors()).toBe(0)
    const restored = await startHere({ dataDir })
    expect(await restored.query('select name from public.companies')).toEqual([{ name: 'Backed up' }])
    expect(openPaths(dataDir)).toEqual([])
    expect([restored.publishableKey, restored.serviceKey]).toEqual([first.key, first.secret])
    await restored.stop()
  })

  it('gets the demo data beside a running server and without one, and lets no others in with its passwords', {
    timeout: LONG,
  }, async () => {
    const demo = ['Acme', 'Globex', 'Hooli', 'Initech', 'Umbra']
    const reset = run('demo-reset')
    expect(await ended(reset.child), reset.errors()).toBe(0)
    expect((await names(again)).sort()).toEqual(demo)
    expect(await add(again, 'Extra')).toBe(201)
    again.child.kill('SIGTERM')
    expect(await ended(again.child)).toBe(0)
    expect(existsSync(join(data(), 'lock'))).toBe(false)

    const shown = startHere({ dataDir: data(), host: '0.0.0.0' })
    await expect(shown).rejects.toThrow(/super@demo\.test.*--empty/)

    // Loading the demo data takes longest of all that this file does.
    if (!isThorough) return
    const cold = run('demo-reset')
    expect(await ended(cold.child), cold.errors()).toBe(0)
    expect((await names(await ready(serve()))).sort()).toEqual(demo)
  })
})
