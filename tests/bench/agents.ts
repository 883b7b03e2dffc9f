/**
 * `npm run bench:agents`: a fleet of 1,000, 10,000 and 100,000 devices that checks in over HTTP, on both databases;
 * `-- 1000 10000` measures other sizes. Each device has a monitor and sends its load, as the agent does.
 */
import { loadavg } from 'node:os'
import { whyNoPostgres } from '../support/postgres'
import { devicesOf, writes } from './check-in-cost'
import { checkIn, checkIns, type Device, payload } from './check-ins'
import { type Kind, seed } from './databases'
import type { Place } from './place'
import { setting } from './setting'
import { showTimes, table } from './statistics'

const SECONDS = setting('BENCH_SECONDS', 5, 0.2)
const DAY_SECONDS = 86_400
const STEP = 300
const CLIENTS = 16
/** As many devices take part: more would only add to the time that getting their monitors takes. */
const ACTIVE = 500
/** Devices that send a day of their load, to see what it adds to the database. */
const SAMPLED = 40

const HEAD = [
  'devices',
  'database',
  'one client, ms (min / median / p95)',
  `${CLIENTS} clients`,
  'ms (min / median / p95)',
  'rows each',
  'WAL bytes each',
  'interval',
  'needed',
  'growth a day',
  'WAL a day',
]

async function addMonitors(place: Place): Promise<void> {
  await place.query(
    `insert into public.monitors (company_id, name, type, process_name)
     select c.id, 'Monitor', 'Process', 'process' from public.companies c`,
  )
  await place.query('analyze')
}

const size = async (place: Place): Promise<number> =>
  Number((await place.query(`select pg_total_relation_size('app.device_metrics') as n`))[0]?.n)

/** Bytes that a device adds in a day: 288 samples, as a device sends them that was away for a day. */
async function growth(place: Place, devices: readonly Device[]): Promise<number> {
  const before = await size(place)
  const now = Math.floor(Date.now() / 1000 / STEP) * STEP
  const samples = Array.from({ length: DAY_SECONDS / STEP }, (_, n) => ({
    at: now - n * STEP,
    cpu: (n * 7) % 100,
    cpu_peak: 100,
    memory: 40 + (n % 9),
    disk: 41,
  }))
  for (const device of devices) {
    const { payload: body } = payload(device, 0, null)
    await checkIn(place, { payload: { ...body, samples } })
  }
  return ((await size(place)) - before) / devices.length
}

const inBytes = (bytes: number): string => {
  const [unit, divisor] = bytes > 1e9 ? ['GB', 1e9] : ['MB', 1e6]
  return `${(Number(bytes) / Number(divisor)).toFixed(1)} ${unit}`
}

async function measure(kind: Kind, count: number): Promise<string[]> {
  const place = await seed(kind, count, () => undefined, '-agents', true)
  await addMonitors(place)
  const devices = await devicesOf(place, ACTIVE)
  const [first] = devices
  if (!first) throw new Error('There is no device to check in.')
  const interval = Number((await place.query('select app.fleet_interval() as n'))[0]?.n)
  await checkIns(place, devices, 1, 1)
  const one = await checkIns(place, devices, 1, SECONDS)
  const before = await writes(place)
  const many = await checkIns(place, devices, CLIENTS, SECONDS)
  const after = await writes(place)
  // Getting the monitors first is a check-in too.
  const done = many.done + devices.length
  const wal = (after.wal - before.wal) / done
  const grown = await growth(place, devices.slice(0, SAMPLED))
  await place.stop()
  return [
    count.toLocaleString('en'),
    kind,
    showTimes(one.latency),
    `${many.perSecond.toFixed(0)}/s`,
    showTimes(many.latency),
    ((after.rows - before.rows) / done).toFixed(2),
    wal.toFixed(0),
    `${interval} s`,
    `${(count / interval).toFixed(0)}/s`,
    inBytes(grown * count),
    inBytes((wal * count * DAY_SECONDS) / interval),
  ]
}

const asked = process.argv.slice(2).map(Number).filter(Number.isInteger)
const counts = asked.length > 0 ? asked : [1_000, 10_000, 100_000]
const kinds: Kind[] = whyNoPostgres() ? ['PGlite'] : ['PGlite', 'PostgreSQL']
const load = () =>
  loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')

console.log(`Load average before: ${load()}.`)
const rows: string[][] = []
for (const count of counts) for (const kind of kinds) rows.push(await measure(kind, count))
console.log(`\n${table(HEAD, rows)}`)
console.log(`\nLoad average after: ${load()}.`)
