/**
 * New due times for the open tickets of a company after its calendar has changed: how long all batches take, and how
 * long somebody who writes a ticket meanwhile waits for it, beside the same write with nothing else to do.
 *
 *   npm run bench:sla                50,000 open tickets, on PGlite and PostgreSQL
 *   npm run bench:sla -- pglite      on one of them
 */
import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { SLA_BATCH } from '../../supabase/embedded/maintenance'
import { testBackend } from '../support/backend'
import { whyNoPostgres } from '../support/postgres'
import { setting } from './setting'
import { showTimes, table, times } from './statistics'

const TICKETS = setting('BENCH_TICKETS', 50_000, 200)
const BUDGET_SECONDS = 10
const BUDGET_WRITE = 100
const PAUSE = 50

async function measure(driver: 'pglite' | 'postgres'): Promise<string[]> {
  const backend = await testBackend({ driver, demo: false })
  try {
    const company = randomUUID()
    await backend.sql(`insert into public.companies (id, name) values ($1, 'Bench')`, [company])
    await backend.sql(
      `insert into public.sla_policies (company_id, name, targets) values ($1, 'All', '[{"priority":"normal","first_response":240,"solution":1440}]')`,
      [company],
    )
    // A description of the usual length. Without the triggers, which would number and hand out each of them.
    await backend.sql('alter table public.tickets disable trigger user')
    for (let made = 0; made < TICKETS; made += 1000)
      await backend.sql(
        `insert into public.tickets (company_id, number, subject, description, priority, created_at, status, status_id, search)
         select $1, n, 'Ticket ' || n, d.text, 'normal', now() - make_interval(mins => n), 'open', s.id, app.fold('#' || n || ' Ticket ' || n || '  ' || d.text)
         from generate_series($2::integer + 1, $2::integer + $3::integer) n
           cross join lateral (select string_agg(md5(n::text || g) || ' yazıcı çıktı vermiyor', ' ') as text from generate_series(1, 9) g) d
           join public.ticket_statuses s on s.company_id = $1 and s.kind = 'open' and s.is_default`,
        [company, made, Math.min(1000, TICKETS - made)],
      )
    await backend.sql('alter table public.tickets enable trigger user')
    await backend.sql(
      'insert into app.tickets_search (company_id, id, search) select company_id, id, search from public.tickets',
    )
    await backend.sql('delete from app.sla_recounts')
    await backend.sql('vacuum analyze public.tickets')
    const write = async () => {
      const from = performance.now()
      await backend.sql(
        `update public.tickets set subject = subject || '!' where id = (select id from public.tickets where company_id = $1 order by random() limit 1)`,
        [company],
      )
      return performance.now() - from
    }
    const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE))
    const alone: number[] = []
    for (let round = 0; round < 40; round += 1) {
      alone.push(await write())
      await pause()
    }
    await backend.sql(
      `update public.business_calendars set hours = (select jsonb_agg(jsonb_build_object('day', d::text, 'from', '08:00', 'until', '17:00'))
       from generate_series(1, 6) d) where company_id = $1`,
      [company],
    )
    let counted = 0
    let isDone = false
    const batches: number[] = []
    const writes: number[] = []
    const writing = (async () => {
      while (!isDone) {
        writes.push(await write())
        await pause()
      }
    })()
    const from = performance.now()
    while (true) {
      const start = performance.now()
      const [row] = await backend.sql<{ done: number }>('select app.recount_sla($1) as done', [
        SLA_BATCH[driver],
      ])
      if (!row?.done) break
      counted += row.done
      batches.push(performance.now() - start)
    }
    const seconds = (performance.now() - from) / 1000
    isDone = true
    await writing
    const isKept = seconds < BUDGET_SECONDS && times(writes).p95 < BUDGET_WRITE
    return [
      driver === 'pglite' ? 'PGlite' : 'PostgreSQL',
      String(counted),
      seconds.toFixed(1),
      showTimes(times(batches)),
      showTimes(times(alone)),
      showTimes(times(writes)),
      isKept ? 'kept' : 'OVER',
    ]
  } finally {
    await backend.stop()
  }
}

const wanted = process.argv[2]
const rows: string[][] = []
const why = whyNoPostgres()
if (why) console.log(`Not measured on PostgreSQL: ${why}.`)
else if (wanted !== 'pglite') rows.push(await measure('postgres'))
if (wanted !== 'postgres') rows.push(await measure('pglite'))
console.log('least / p50 / p95 in ms')
console.log(
  table(
    [
      'database',
      'tickets',
      's',
      'a batch',
      'a write alone',
      'a write meanwhile',
      `${BUDGET_SECONDS} s, ${BUDGET_WRITE} ms`,
    ],
    rows,
  ),
)
