import { parseArgs } from 'node:util'
import { whyNoPostgres } from '../support/postgres'
import { checkIns, type Device } from './check-ins'
import { type Kind, seed } from './databases'
import type { Place } from './place'
import { setting } from './setting'
import { table, times } from './statistics'

const ROUNDS = setting('BENCH_ROUNDS', 5, 1)
const SECONDS = setting('BENCH_SECONDS', 3, 0.2)

/** Devices that are online, from all companies, with the number that their secret is derived from. */
export async function devicesOf(place: Place, count = 64): Promise<Device[]> {
  // The number is the last part of the name.
  const rows = await place.query(
    `select id, right(name, 6)::int as number from public.devices where status = 'online' order by id limit $1`,
    [count],
  )
  return rows.map(({ id, number }) => ({ id: String(id), number: Number(number) }))
}

/** Gives each company this many monitors; every fifth checks the company's first group alone. */
async function setMonitors(place: Place, count: number): Promise<void> {
  await place.query('delete from public.monitors')
  await place.query(
    `insert into public.monitors (company_id, name, type, process_name)
     select c.id, 'Monitor ' || n, 'Process', 'process-' || n
     from public.companies c cross join generate_series(1, $1::int) n`,
    [count],
  )
  await place.query(
    `insert into public.monitor_groups (company_id, monitor_id, group_id)
     select m.company_id, m.id, g.id
     from (select x.*, row_number() over (partition by x.company_id order by x.name) as n from public.monitors x) m
     cross join lateral (select y.id from public.groups y where y.company_id = m.company_id order by y.id limit 1) g
     where m.n % 5 = 0`,
  )
  await place.query('analyze')
}

const WRITES = `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal,
  (select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables) as rows`

export async function writes(place: Place): Promise<{ wal: number; rows: number }> {
  // The counters of the tables follow within a second.
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const [row] = await place.query(WRITES)
  return { wal: Number(row?.wal), rows: Number(row?.rows) }
}

interface Cost {
  each: number
  many: number
  wal: number
  rows: number
}

const middle = (values: number[]): number => times(values).p50
/** Other load only ever slows a round down, so times are the best of all rounds. */
async function measure(place: Place, devices: readonly Device[]): Promise<Cost> {
  await checkIns(place, devices, 1, 0.5)
  const one = await checkIns(place, devices, 1, SECONDS)
  const before = await writes(place)
  const many = await checkIns(place, devices, 16, SECONDS)
  const after = await writes(place)
  const each = (key: 'wal' | 'rows') => (after[key] - before[key]) / many.done
  return { each: one.each, many: many.perSecond, wal: each('wal'), rows: each('rows') }
}

const summary = (costs: Cost[]): Cost => ({
  each: Math.min(...costs.map(({ each }) => each)),
  many: Math.max(...costs.map(({ many }) => many)),
  wal: middle(costs.map(({ wal }) => wal)),
  rows: middle(costs.map(({ rows }) => rows)),
})

const row = (name: string, { each, many, wal, rows }: Cost): string[] => [
  name,
  `${each.toFixed(2)} ms`,
  `${many.toFixed(0)}/s`,
  wal.toFixed(0),
  rows.toFixed(2),
]

/**
 * Measures a check-in without monitors and with `--monitors` in each company, in turns, so that other load on the
 * machine falls on both alike.
 */
export async function printCheckInCost(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    allowPositionals: true,
    options: { devices: { type: 'string', default: '1000' }, monitors: { type: 'string', default: '0' } },
  })
  const monitors = Number(values.monitors)
  const kinds: Kind[] = whyNoPostgres() ? ['PGlite'] : ['PGlite', 'PostgreSQL']
  const counts = monitors > 0 ? [0, monitors] : [0]
  for (const kind of kinds) {
    const place = await seed(kind, Number(values.devices), () => undefined, '-check-ins')
    const devices = await devicesOf(place)
    const costs = new Map<number, Cost[]>(counts.map((count) => [count, []]))
    for (let round = 0; round < ROUNDS; round++) {
      for (const count of counts) {
        await setMonitors(place, count)
        costs.get(count)?.push(await measure(place, devices))
      }
    }
    await place.stop()
    const found = counts.map((count) => ({ count, cost: summary(costs.get(count) ?? []) }))
    const [none, some] = found
    console.log(
      `\n${table(
        [`${kind}, ${values.devices} devices`, 'one client', '16 clients', 'WAL bytes each', 'rows each'],
        [
          ...found.map(({ count, cost }) => row(`${count} monitors`, cost)),
          ...(none && some
            ? [
                [
                  'ratio',
                  (some.cost.each / none.cost.each).toFixed(2),
                  (none.cost.many / some.cost.many).toFixed(2),
                  (some.cost.wal / none.cost.wal).toFixed(2),
                  (some.cost.rows / none.cost.rows).toFixed(2),
                ],
              ]
            : []),
        ],
      )}`,
    )
  }
}
