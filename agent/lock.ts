import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readJson } from './files'
import { isAlive, type ProcessId, thisProcess, toProcessId } from './process-id'

/** Another agent works on this data directory. */
export class DataDirInUse extends Error {}

/**
 * Two agents on one data directory would run a script twice. The lock is a whole file put in place by link(), which
 * fails when one is there; it outlives a kill -9, so a dead owner's is moved aside.
 * @returns the release
 * @throws DataDirInUse
 */
export function lockDataDir(dataDir: string): () => void {
  const lock = join(dataDir, 'lock')
  const mine = `${lock}.${process.pid}`
  const ownerIn = (file: string): ProcessId | null => toProcessId(readJson(file))
  try {
    writeFileSync(mine, JSON.stringify(thisProcess()), { mode: 0o600 })
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
          `Another agent (process ${owner.pid}) already uses ${dataDir}. Stop it, or give this one its own --data-dir.`,
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
