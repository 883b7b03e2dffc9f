import { withoutBudget } from './database/budget.mjs'
import type { Backend } from './http/context'

const SECOND = 1000
const TICK = 20 * SECOND
const CHECKPOINT = 120 * SECOND
const VACUUM = 6 * 3600 * SECOND
/** Soon after a start, since the one before may never have lived long enough. */
const FIRST_VACUUM = 600 * SECOND

/**
 * Does the background work of a database server that PGlite leaves out: without checkpoints the log of PGlite grew
 * to gigabytes, and recovery time with it. Also runs `app.tick()` where pg_cron does not. Returns the function that
 * stops it all.
 */
export function startMaintenance(backend: Backend): () => void {
  const timers: NodeJS.Timeout[] = []
  let said = ''

  const run = (sql: string) => async () => {
    try {
      await backend.ready
      await backend.core.database.query(sql)
    } catch (error) {
      const line = `${sql}: ${(error as Error).message}`
      if (line !== said) backend.log(line)
      said = line
    }
  }

  /** Never two at once, however long one takes. */
  function every(milliseconds: number, task: () => Promise<void>, first = milliseconds): void {
    const again = (wait: number) => {
      const timer = setTimeout(async () => {
        await task()
        if (timers[slot] === timer) again(milliseconds)
      }, wait)
      timer.unref()
      timers[slot] = timer
    }
    const slot = timers.length
    again(first)
  }

  const { kind } = backend.core.database
  every(TICK, async () => {
    const [cron] = await backend.core.database
      .query(`select 1 from pg_extension where extname = 'pg_cron'`)
      .catch(() => [{}])
    if (!cron) await run('select app.tick()')()
    await backend.packages.removeDeleted(backend.core.database.query).catch((error: unknown) => {
      backend.log(`Deleted packages could not be removed: ${(error as Error).message}`)
    })
  })
  if (kind === 'pglite') {
    every(CHECKPOINT, () => withoutBudget(run('checkpoint')))
    every(VACUUM, () => withoutBudget(run('vacuum (analyze)')), FIRST_VACUUM)
  }
  return () => {
    for (const timer of timers) clearTimeout(timer)
    timers.length = 0
  }
}
