import { type ChildProcess, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
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
import { createPostgresConnection } from '@supabase/lite/postgres'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { startPostgres, whyNoPostgres } from '../support/postgres'
import { postgresTemplate } from '../support/postgres-template'
import { BRIEF, program } from '../support/program'

const ROOT = resolve(import.meta.dirname, '../..')
const SOURCES = {
  serve: new URL('../support/serve.ts', import.meta.url),
  'admin-create': new URL('../../scripts/admin-create.ts', import.meta.url),
  'demo-reset': new URL('../../scripts/demo-reset.ts', import.meta.url),
  backup: new URL('../../scripts/backup.ts', import.meta.url),
  restore: new URL('../../scripts/restore.ts', import.meta.url),
}
type Script = keyof typeof SOURCES

const packed = new Map<Script, string>()
beforeAll(async () => {
  for (const [script, source] of Object.entries(SOURCES)) packed.set(script as Script, await program(source))
})

let folder: string
const running = new Set<ChildProcess>()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konsol-start-'))
})
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL')
  await Promise.all([...running].map((child) => ended(child)))
  running.clear()
  rmSync(folder, { recursive: true, force: true })
})

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
/** From a tree with the first file of the demo data, the companies and accounts: the rest takes ten seconds of a core. */
function serveCompanies(): Run {
  const tree = join(folder, 'tree')
  const program = join(tree, 'supabase/.temp/serve.mjs')
  mkdirSync(join(ROOT, 'supabase/.temp/snapshots'), { recursive: true })
  for (const path of [
    'node_modules',
    'supabase/embedded',
    'supabase/migrations',
    'supabase/.temp/snapshots',
  ]) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    symlinkSync(join(ROOT, path), join(tree, path), 'junction')
  }
  const seed = 'supabase/seed/10_companies.sql'
  cpSync(join(ROOT, seed), join(tree, seed))
  cpSync(packed.get('serve') ?? '', program)
  return start([...BRIEF, program])
}
/** As the package's scripts do it: a server and a command are started so once, and packed from then on. */
const runSources = (script: Script, args: string[] = []) =>
  start(['--import', 'tsx', fileURLToPath(SOURCES[script]), ...args])

interface Ready extends Run {
  url: string
  key: string
  secret: string
}

async function ready(started: Run): Promise<Ready> {
  await expect
    .poll(() => started.output().includes('ready') || started.child.exitCode !== null, { timeout: 110_000 })
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

const LONG = 240_000

it('says that the port is taken', { timeout: LONG }, async () => {
  const other = createServer()
  const port = await new Promise<number>((done) =>
    other.listen(0, '127.0.0.1', () => done((other.address() as { port: number }).port)),
  )
  expect(await refusal(serve({ PORT: String(port) }))).toContain(`Port ${port} of 127.0.0.1 is taken`)
  other.close()
})

it('refuses weak secrets and wrong settings when others can reach it', { timeout: LONG }, async () => {
  const secret = 'a-secret-that-is-in-every-tutorial'
  expect(await refusal(serve({ HOST: '0.0.0.0', JWT_SECRET: secret }))).toContain('JWT_SECRET is too weak')
  expect(await refusal(serve({ PORT: 'eighty' }))).toContain('PORT must be a number')
  expect(await refusal(serve({ SITE_URL: 'console.example' }))).toContain('SITE_URL must be an http')
  expect(await refusal(serve({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }))).toContain(
    'DATABASE_URL',
  )
})

it('takes over from a first start that was killed, refuses a second server, and loses no acknowledged write', {
  timeout: LONG,
}, async () => {
  mkdirSync(join(data(), 'pgdata', 'base'), { recursive: true })
  writeFileSync(join(data(), 'pgdata', 'PG_VERSION'), '17\n')
  const first = await ready(runSources('serve'))
  expect(first.errors()).toContain('is incomplete')
  const keys = join(data(), 'keys.json')
  expect(statSync(keys).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(keys, 'utf8')).publishableKey).toBe(first.key)

  expect(await refusal(serve())).toMatch(/data directory .* is in use by process \d+/)

  const names: string[] = []
  const writing = (async () => {
    for (let n = 0; n < 500; n++) {
      const name = `Company ${n}`
      const answer = await rest(first, 'companies', { method: 'POST', body: JSON.stringify({ name }) }).catch(
        () => null,
      )
      if (answer?.status !== 201) return
      names.push(name)
    }
  })()
  await expect.poll(() => names.length, { timeout: 60_000 }).toBeGreaterThan(20)
  first.child.kill('SIGKILL')
  await writing
  await ended(first.child)
  expect(existsSync(join(data(), 'lock'))).toBe(true)
  const again = await ready(serve())
  expect(again.key).toBe(first.key)
  const rows = (await (await rest(again, 'companies?select=name&limit=1000')).json()) as { name: string }[]
  const kept = new Set(rows.map((row) => row.name))
  expect(names.filter((name) => !kept.has(name))).toEqual([])
  again.child.kill('SIGTERM')
  expect(await ended(again.child)).toBe(0)
  expect(existsSync(join(data(), 'lock'))).toBe(false)
})

it('makes the first Super Admin once, opens a database that lost its marker, and restores a backup on a fresh directory and over another', {
  timeout: LONG,
}, async () => {
  const names = async (server: Ready) =>
    ((await (await rest(server, 'companies?select=name&order=name')).json()) as { name: string }[]).map(
      (row) => row.name,
    )
  const add = (server: Ready, name: string) =>
    rest(server, 'companies', { method: 'POST', body: JSON.stringify({ name }) })
  const create = 'admin-create'
  expect(await refusal(run(create))).toContain('Usage')
  const first = await ready(serve())
  const made = runSources(create, ['first@acme.example'])
  expect(await ended(made.child), made.errors()).toBe(0)
  const password = made.output().trim().split(' ').at(-1) ?? ''
  const signIn = await fetch(`${first.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: first.key, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'first@acme.example', password }),
  })
  expect(signIn.status).toBe(200)
  expect(await refusal(run(create, ['second@acme.example']))).toContain('exists already')

  await add(first, 'Backed up')
  const file = join(folder, 'backup.zip')
  const backup = run('backup', [file])
  expect(await ended(backup.child), backup.errors()).toBe(0)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await refusal(run('backup', [file]))).toContain('already exists')
  await add(first, 'Later')
  first.child.kill('SIGKILL')
  await ended(first.child)
  expect(await refusal(run(create, ['second@acme.example']))).toContain('exists already')

  rmSync(join(data(), 'ready'))
  // Nor does it get demo data, which a database that began without never does.
  const again = await ready(serve({ DEMO: '1' }))
  expect(await names(again)).toEqual(['Backed up', 'Later'])
  writeFileSync(join(folder, 'other.zip'), 'not a backup')
  expect(await refusal(run('restore', [join(folder, 'other.zip')]))).toContain('is not a readable backup')
  expect(await names(again)).toEqual(['Backed up', 'Later'])
  const over = run('restore', [file])
  expect(await ended(over.child), over.errors()).toBe(0)
  expect(over.output()).toMatch(/previous data is in .*pgdata\.aside-/)
  expect(await names(again)).toEqual(['Backed up'])

  const fresh = { DATA_DIR: join(folder, 'fresh') }
  const restore = run('restore', [file], fresh)
  expect(await ended(restore.child), restore.errors()).toBe(0)
  const restored = await ready(serve(fresh))
  expect(await names(restored)).toEqual(['Backed up'])
  expect([restored.key, restored.secret]).toEqual([first.key, first.secret])
})

it('puts the demo data back beside a running server and without one, and lets no others in with its passwords', {
  timeout: LONG,
}, async () => {
  const names = async (server: Ready) => {
    const rows = (await (await rest(server, 'companies?select=name')).json()) as { name: string }[]
    return rows.map((row) => row.name).sort()
  }
  const demo = ['Acme', 'Globex', 'Hooli', 'Initech', 'Umbra']
  const isThorough = process.env.THOROUGH === '1'
  const server = await ready(isThorough ? serve() : serveCompanies())
  expect(await names(server)).toEqual([])
  const add = () => rest(server, 'companies', { method: 'POST', body: JSON.stringify({ name: 'Extra' }) })
  expect((await add()).status).toBe(201)
  const reset = run('demo-reset')
  expect(await ended(reset.child), reset.errors()).toBe(0)
  expect(await names(server)).toEqual(demo)
  expect((await add()).status).toBe(201)
  server.child.kill('SIGTERM')
  expect(await ended(server.child)).toBe(0)

  const line = await refusal(serve({ HOST: '0.0.0.0' }))
  expect(line).toContain('super@demo.test')
  expect(line).toContain('--empty')

  // Loading the demo data takes longest of all that this file does.
  if (!isThorough) return
  const cold = run('demo-reset')
  expect(await ended(cold.child), cold.errors()).toBe(0)
  expect(await names(await ready(serve()))).toEqual(demo)
})

it.skipIf(whyNoPostgres())(
  'shares a fresh PostgreSQL with a server that starts at the same time',
  {
    timeout: LONG,
  },
  async () => {
    const postgres = await startPostgres()
    try {
      const both = ['one', 'two'].map((name) =>
        serve({ DATABASE_URL: postgres.url, DATA_DIR: join(folder, name) }),
      )
      const [one, two] = await Promise.all(both.map(ready))
      if (!one || !two) throw new Error('Two servers were started')
      const added = await rest(one, 'companies', { method: 'POST', body: JSON.stringify({ name: 'Shared' }) })
      expect(added.status).toBe(201)
      const seen = (await (await rest(two, 'companies?select=name')).json()) as { name: string }[]
      expect(seen.map(({ name }) => name)).toContain('Shared')
    } finally {
      for (const child of running) child.kill('SIGKILL')
      await postgres.stop()
    }
  },
)

it.skipIf(whyNoPostgres())(
  'answers a request whose database session ends under it, and goes on',
  { timeout: LONG },
  async () => {
    const postgres = await startPostgres({ template: await postgresTemplate(false) })
    const { driver } = createPostgresConnection({ url: postgres.url, postgresOptions: { max: 2 } })
    try {
      const server = await ready(serve({ DATABASE_URL: postgres.url }))
      await rest(server, 'companies', { method: 'POST', body: JSON.stringify({ name: 'Held' }) })
      // A row that somebody holds: whoever wants to write it waits, and is ended while waiting.
      const answer = await driver.begin(async (holder) => {
        await holder`select 1 from public.companies where name = 'Held' for update`
        const waiting = rest(server, 'companies?name=eq.Held', {
          method: 'PATCH',
          body: JSON.stringify({ seats: 7 }),
        })
        await expect
          .poll(
            () =>
              driver`select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'`,
            { timeout: 30_000 },
          )
          .toHaveLength(1)
        return waiting
      })
      expect(answer.status).toBeGreaterThanOrEqual(500)
      const after = await rest(server, 'companies?name=eq.Held', {
        method: 'PATCH',
        body: JSON.stringify({ seats: 8 }),
      })
      expect(after.status).toBe(200)
      expect(server.child.exitCode).toBeNull()
    } finally {
      await driver.end({ timeout: 1 })
      for (const child of running) child.kill('SIGKILL')
      await postgres.stop()
    }
  },
)
