import { withoutBudget } from './database/budget.mjs'
import type { Backend } from './http/context'

const SECOND = 1000
const TICK = 20 * SECOND
const CHECKPOINT = 120 * SECOND
const VACUUM = 6 * 3600 * SECOND
/** 200,000 tickets on PostgreSQL: more than any company has open, and an end in any case. */
const MAX_BATCHES = 1000
/** Tickets that get new due times in one statement. PGlite has one session, and whoever writes waits for the statement. */
export const SLA_BATCH = { pglite: 75, postgres: 200 } as const
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

  const attempt = (name: string, work: () => Promise<unknown>) => async () => {
    try {
      await backend.ready
      await work()
    } catch (error) {
      const line = `${name}: ${(error as Error).message}`
      if (line !== said) backend.log(line)
      said = line
    }
  }
  const run = (sql: string) => attempt(sql, () => backend.core.database.query(sql))

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

  /** The rest of a changed calendar at once, a batch a statement: the tick takes one, and others write in between. */
  async function recountSla(): Promise<void> {
    const { database } = backend.core
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const [row] = await database.query('select app.recount_sla($1) as done', [SLA_BATCH[database.kind]])
      if (!Number(row?.done)) return
    }
  }

  const { kind } = backend.core.database
  every(TICK, async () => {
    const [cron] = await backend.core.database
      .query(`select 1 from pg_extension where extname = 'pg_cron'`)
      .catch(() => [{}])
    if (!cron) {
      await run('select app.tick()')()
      await attempt('app.recount_sla()', recountSla)()
    }
    await backend.files.removeDeleted(backend.core.database.query).catch((error: unknown) => {
      const line = `Deleted files could not be removed, and are tried again: ${(error as Error).message}`
      if (line !== said) backend.log(line)
      said = line
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
