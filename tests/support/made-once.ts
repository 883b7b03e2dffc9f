import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** False when a process that lives holds it; one that was killed leaves it to the next. */
function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    try {
      process.kill(Number(readFileSync(lock, 'utf8')), 0)
    } catch {
      rmSync(lock, { force: true })
    }
    return false
  }
}

/**
 * Creates the file at `path` if it does not exist. One process creates it while the others wait, rather than
 * each of them loading the demo data for ten seconds of a core.
 * @returns what `make` gave, or undefined when it was there or another process made it
 */
export async function madeOnce<T>(path: string, make: () => Promise<T>): Promise<T | undefined> {
  // Beside the folder, in which only the newest are kept.
  const lock = join(dirname(path), '..', `${basename(path)}.lock`)
  mkdirSync(dirname(lock), { recursive: true })
  while (!existsSync(path)) {
    if (take(lock))
      try {
        return existsSync(path) ? undefined : await make()
      } finally {
        rmSync(lock, { force: true })
      }
    await wait(50)
  }
  return undefined
}
