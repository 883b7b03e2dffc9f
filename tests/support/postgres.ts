import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import postgres from 'postgres'

/** A PostgreSQL that nobody else uses. */
export interface Cluster {
  url: string
  stop: () => Promise<void>
}

export interface ClusterOptions {
  /** Kept after the stop and taken up again by the next start. Without one, a directory that ends with it. */
  directory?: string
}

/** The folder of `initdb` and `postgres`: on PATH, or where Debian puts them. */
export function findPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : []
  return [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ].find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

/** PostgreSQL refuses to run as root: it then runs as "nobody". */
const identity = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    if (child.exitCode !== null) throw new Error(`postgres ended with ${child.exitCode} before it answered`)
    const sql = postgres(url, { max: 1, onnotice: () => undefined, connect_timeout: 2 })
    try {
      await sql`select 1`
      return
    } catch (error) {
      if (attempt > 150) throw error
      await new Promise((done) => setTimeout(done, 200))
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}

/** @throws Error when the machine has no PostgreSQL binaries: ask {@link findPostgres} first. */
export async function startPostgres({ directory }: ClusterOptions = {}): Promise<Cluster> {
  const bin = findPostgres()
  if (!bin) throw new Error('There are no PostgreSQL binaries here.')
  const data = directory ?? mkdtempSync(join(tmpdir(), 'konsol-postgres-'))
  mkdirSync(data, { recursive: true })
  chmodSync(data, 0o700)
  if (identity.uid !== undefined) chownSync(data, identity.uid, identity.gid)
  const port = await freePort()
  if (!existsSync(join(data, 'PG_VERSION')))
    execFileSync(
      join(bin, 'initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'],
      { stdio: 'pipe', cwd: '/', ...identity },
    )
  const settings = { shared_buffers: '256MB', max_wal_size: '2GB', unix_socket_directories: data }
  const child = spawn(
    join(bin, 'postgres'),
    [
      '-D',
      data,
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ],
    { stdio: 'ignore', cwd: '/', ...identity },
  )
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await answers(url, child)
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          if (!directory) rmSync(data, { recursive: true, force: true })
          resolve()
        })
        // Fast shutdown: open sessions are ended, what they committed is kept.
        child.kill('SIGINT')
      }),
  }
}
