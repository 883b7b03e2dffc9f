import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { StartError } from './start-error'

/** Directories this very process holds: its own pid in a lock file proves nothing, a container's is always 1. */
const held = new Set<string>()

interface Holder {
  pid: number
  started: string
}

/** State and start time of a process, where the system provides them. A zombie has released its files. */
function processOf(pid: number): { alive: boolean; started: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { alive: fields[0] !== 'Z' && fields[0] !== 'X', started: fields[19] ?? '' }
  } catch {
    if (existsSync('/proc/self/stat')) return { alive: false, started: '' }
  }
  try {
    process.kill(pid, 0)
    return { alive: true, started: '' }
  } catch (error) {
    return { alive: (error as NodeJS.ErrnoException).code === 'EPERM', started: '' }
  }
}

function isAlive({ pid, started }: Holder): boolean {
  if (!Number.isInteger(pid) || pid < 1 || pid === process.pid) return false
  const found = processOf(pid)
  return found.alive && (!started || !found.started || started === found.started)
}

function holderOf(text: string): Holder {
  const [pid = '', started = ''] = text.trim().split(' ')
  return { pid: Number(pid), started }
}

const inUse = (directory: string, pid: number) =>
  new StartError(
    `The data directory ${directory} is in use by process ${pid}. Stop that server, or set DATA_DIR to another directory.`,
  )

const WAIT_MS = 20
/** An empty lock of this age is of a process that was killed before it wrote its name. */
const STALE_MS = 1000

/** The text of a lock, waiting for a process that is about to write it; null for none. */
function readLock(file: string): string | null {
  for (;;) {
    try {
      const text = readFileSync(file, 'utf8')
      if (text !== '' || Math.abs(Date.now() - statSync(file).mtimeMs) > STALE_MS) return text
    } catch {
      return null
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS)
  }
}

function createLock(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    writeFileSync(descriptor, text)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/** The pid of the server that works on this directory, if one does. */
export function holderPid(directory: string): number | null {
  const text = readLock(join(resolve(directory), 'lock'))
  if (text === null) return null
  const holder = holderOf(text)
  return isAlive(holder) ? holder.pid : null
}

/**
 * Locks the directory for this process: two servers on one directory would diverge unnoticed.
 * @returns releases the lock.
 * @throws StartError while another living process holds it, or when it cannot be written.
 */
export function lockDirectory(path: string): () => void {
  const directory = resolve(path)
  const file = join(directory, 'lock')
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartError(`The data directory ${directory} cannot be created: ${(error as Error).message}`)
  }
  if (held.has(directory)) throw inUse(directory, process.pid)
  const own = `${process.pid} ${processOf(process.pid).started}\n`
  for (;;) {
    try {
      createLock(file, own)
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw new StartError(`The data directory ${directory} cannot be written: ${(error as Error).message}`)
    }
    breakLock(directory, file)
  }
  held.add(directory)
  return () => {
    held.delete(directory)
    rmSync(file, { force: true })
  }
}

/** Renamed away rather than removed: of two that find the same dead lock, only one moves it. */
function breakLock(directory: string, file: string): void {
  const found = readLock(file)
  if (found === null) return
  const holder = holderOf(found)
  if (isAlive(holder)) throw inUse(directory, holder.pid)
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  const moved = readFileSync(aside, 'utf8')
  if (moved === found) {
    rmSync(aside, { force: true })
    return
  }
  // Somebody took it in between: give it back.
  renameSync(aside, file)
  throw inUse(directory, holderOf(moved).pid)
}

export const databaseDirectory = (directory: string): string => join(resolve(directory), 'pgdata')

export const hasDatabase = (directory: string): boolean =>
  existsSync(join(databaseDirectory(directory), 'PG_VERSION'))

const READY = 'ready'
/** There while a first start makes the database; no server has served it before this is gone. */
const STARTING = 'starting'

/**
 * Whether a database has to be created here. Nothing is ever deleted: an incomplete directory of a killed
 * first start is moved aside. A database without our marker, such as one restored or copied by hand, is
 * opened unchanged.
 */
export function prepareDatabase(directory: string, log: (line: string) => void): boolean {
  const database = databaseDirectory(directory)
  const starting = join(resolve(directory), STARTING)
  if (existsSync(database) && readdirSync(database).length > 0) {
    const isWhole = ['PG_VERSION', 'global/pg_control'].every((file) => existsSync(join(database, file)))
    const isFinished = existsSync(join(resolve(directory), READY))
    if (isWhole && (isFinished || !existsSync(starting))) return false
    // An empty console in its place would look like a loss.
    if (isFinished)
      throw new StartError(
        `The database in ${database} is damaged: files are missing. Restore a backup with npm run restore, or move the directory.`,
      )
    log(
      `The database in ${database} is incomplete: its first start was interrupted. It was moved to ${moveAside(database)}.`,
    )
  }
  writeFileSync(starting, `${new Date().toISOString()}\n`, { mode: 0o600 })
  return true
}

export function markFinished(directory: string): void {
  writeFileSync(join(resolve(directory), READY), `${new Date().toISOString()}\n`, { mode: 0o600 })
  rmSync(join(resolve(directory), STARTING), { force: true })
}

/** @returns its new name, next to the old one. */
export function moveAside(path: string): string {
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-')
  let aside = `${path}.aside-${stamp}`
  for (let n = 2; existsSync(aside); n++) aside = `${path}.aside-${stamp}-${n}`
  renameSync(path, aside)
  return aside
}

/** For a database that shall be made anew. */
export function wipeDatabase(directory: string): void {
  rmSync(join(resolve(directory), READY), { force: true })
  rmSync(databaseDirectory(directory), { recursive: true, force: true })
}
