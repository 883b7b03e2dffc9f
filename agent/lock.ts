import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord, readJson, textFile } from './files'

interface Owner {
  pid: number
  /** When the process started, in the system's own units: a pid alone may belong to someone else by now. */
  started: string | null
}

/** Another agent works on this data directory. */
export class DataDirInUse extends Error {}

/** Null where the system does not tell (then the pid alone decides); 'gone' for no process, or a zombie. */
function startOf(pid: number): string | null | 'gone' {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'gone'
  }
  if (process.platform !== 'linux') return null
  // pid (name, may hold spaces and brackets) state ppid … the 22nd field is the start time.
  const fields = textFile(`/proc/${pid}/stat`)
    ?.replace(/^.*\)\s/s, '')
    .split(' ')
  if (!fields) return 'gone'
  return fields[0] === 'Z' ? 'gone' : (fields[19] ?? null)
}

const ownerIn = (file: string): Owner | null => {
  const value = readJson(file)
  if (!isRecord(value) || typeof value.pid !== 'number') return null
  return { pid: value.pid, started: typeof value.started === 'string' ? value.started : null }
}

const isAlive = (owner: Owner): boolean => {
  const started = startOf(owner.pid)
  return started !== 'gone' && (started === null || owner.started === null || started === owner.started)
}

/**
 * Two agents on one data directory would run a script twice. The lock is a whole file put in place by link(), which
 * fails when one is there; it outlives a kill -9, so a dead owner's is moved aside.
 * @returns the release
 * @throws DataDirInUse
 */
export function lockDataDir(dataDir: string): () => void {
  const lock = join(dataDir, 'lock')
  const mine = `${lock}.${process.pid}`
  writeFileSync(mine, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }), { mode: 0o600 })
  try {
    for (let attempt = 0; attempt < 20; attempt++) {
      try {
        linkSync(mine, lock)
        return () => {
          if (ownerIn(lock)?.pid === process.pid) rmSync(lock, { force: true })
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const owner = ownerIn(lock)
      if (owner && isAlive(owner))
        throw new DataDirInUse(
          `Another agent (process ${owner.pid}) already works with ${dataDir}. Stop it, or give this one its own --data-dir.`,
        )
      try {
        renameSync(lock, `${mine}.stale`)
      } catch {
        // Somebody else moved it first; the next round sees whose it is now.
      }
    }
    throw new DataDirInUse(`The lock of ${dataDir} could not be taken.`)
  } finally {
    rmSync(mine, { force: true })
    rmSync(`${mine}.stale`, { force: true })
  }
}
