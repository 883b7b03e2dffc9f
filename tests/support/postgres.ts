import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

export interface TestPostgres {
  url: string
  stop: () => Promise<void>
}

interface Account {
  uid: number
  gid: number
}

function places(): string[] {
  const versions = '/usr/lib/postgresql'
  const packaged = existsSync(versions)
    ? readdirSync(versions)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(versions, version, 'bin'))
    : []
  return [
    ...(process.env.PATH ?? '').split(delimiter),
    ...packaged,
    '/usr/local/pgsql/bin',
    '/opt/homebrew/opt/postgresql/bin',
  ]
}

const installed = (): string[] =>
  places().filter((place) => existsSync(join(place, 'postgres')) && existsSync(join(place, 'initdb')))

const binaries = (): string | undefined => installed()[0]

const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))

/** PostgreSQL refuses to run as root; null when there is nobody else to run it as. */
function account(): Account | undefined | null {
  if (process.getuid?.() !== 0) return undefined
  try {
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return null
  }
}

/** Why the tests against PostgreSQL are left out here, or null when they can run. */
export function whyNoPostgres(): string | null {
  if (process.env.WITHOUT_POSTGRES) return 'WITHOUT_POSTGRES is set'
  if (!binaries()) return 'no PostgreSQL was found (initdb and postgres)'
  if (account() === null) return 'PostgreSQL does not run as root, and there is no user postgres'
  return null
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

const versionIn = (place: string): string =>
  execFileSync(join(place, 'postgres'), ['--version'], { encoding: 'utf8' }).trim()

/** The version of PostgreSQL that a data directory is made by, and usable with. */
export function postgresVersion(): string {
  return versionIn(binaries() ?? '').replace(/[^\w.]+/g, '-')
}

/** The programs of every major version on this machine. */
export function postgresBinaries(): { version: number; place: string }[] {
  const found = new Map<number, string>()
  for (const place of installed()) {
    const version = Number(/\d+/.exec(versionIn(place))?.[0])
    if (!found.has(version)) found.set(version, place)
  }
  return [...found].map(([version, place]) => ({ version, place }))
}

export interface PostgresOptions {
  /** Kept when it stops, and taken up again by the next start; a folder that ends with it otherwise. */
  directory?: string
  /** `name=value` lines for postgres. By default nothing is flushed: a test's rows outlive no test. */
  settings?: readonly string[]
  /** A stopped data directory to begin with a copy of. */
  template?: string
  /** Folder of `postgres` and `initdb`, where there are several. */
  place?: string
}

/** A PostgreSQL of this test's own, without a password and on loopback alone. */
export async function startPostgres({
  directory,
  settings = ['fsync=off'],
  template,
  place = binaries(),
}: PostgresOptions = {}): Promise<TestPostgres> {
  const user = account()
  if (!place || user === null) throw new Error(whyNoPostgres() ?? 'PostgreSQL cannot be started')
  const folder = directory ?? mkdtempSync(join(tmpdir(), 'konsol-postgres-'))
  mkdirSync(folder, { recursive: true })
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const options = { cwd: folder, ...user, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } }
  // With its owner and its rights, which PostgreSQL looks at.
  if (template) execFileSync('cp', ['-a', template, data])
  else if (!existsSync(join(data, 'PG_VERSION')))
    execFileSync(
      join(place, 'initdb'),
      ['-D', data, '-U', 'postgres', '--auth', 'trust', '-E', 'UTF8', '--no-sync', '--locale', 'C.UTF-8'],
      { ...options, stdio: 'ignore' },
    )
  const port = await freePort()
  const server = spawn(
    join(place, 'postgres'),
    [
      '-D',
      data,
      '-p',
      String(port),
      '-h',
      '127.0.0.1',
      '-k',
      folder,
      ...settings.flatMap((line) => ['-c', line]),
    ],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk) => {
      said = (said + String(chunk)).slice(-4000)
      if (said.includes('ready to accept connections')) resolve()
    })
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${said}`)))
  })
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGINT')
      await ended
      if (!directory) rmSync(folder, { recursive: true, force: true })
    },
  }
}
