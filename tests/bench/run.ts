/**
 * `npm run bench`: server times over HTTP for both databases side by side, loaded by `npm run bench:seed`;
 * `npm run bench -- lists` measures the declared lists alone, and
 * `npm run bench -- check-ins --devices 1000 --monitors 50` check-ins alone, in a fleet of its own. Run it on a quiet machine; the load average is printed so that a reader can tell.
 */
import { loadavg } from 'node:os'
import { devicesOf, printCheckInCost } from './check-in-cost'
import { checkIns } from './check-ins'
import { correctness } from './checks'
import { type Caller, signIn } from './client'
import { loadedPlaces, seed } from './databases'
import { accounts } from './fleet'
import type { Place } from './place'
import { printLists } from './print-lists'
import { deviceReads, OTHER_READS, type Read } from './reads'
import { setting } from './setting'
import { showTimes, table, times } from './statistics'

const ROUNDS = setting('BENCH_ROUNDS', 40, 1)
const WARM_UP = setting('BENCH_WARM_UP', 3, 0)
const SMALL = setting('BENCH_SMALL', 1000, 100)
const SECONDS = setting('BENCH_SECONDS', 5, 0.2)

/** Least, middle and 95th percentile of a request, in milliseconds, from sending it to its last byte. */
async function measure(read: Read, caller: Caller): Promise<string> {
  const samples: number[] = []
  const begun = performance.now()
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const started = performance.now()
    const { status, body } = await read.run(caller)
    if (round >= WARM_UP) samples.push(performance.now() - started)
    // A slow request is known to be slow after a few samples.
    if (samples.length >= 3 && performance.now() - begun > 10_000) break
    if (status >= 400) return `failed: ${status} ${JSON.stringify(body)}`.slice(0, 120)
  }
  return showTimes(times(samples))
}

async function measureReads(place: Place, callers: Caller[]): Promise<Map<string, string>> {
  const results = new Map<string, string>()
  for (const caller of callers) {
    const [device] = await place.query(
      'select serial from public.devices where $1::uuid is null or company_id = $1::uuid order by id limit 1',
      [caller.company],
    )
    const [count] = await place.query(
      'select count(*)::int as n from public.devices where $1::uuid is null or company_id = $1::uuid',
      [caller.company],
    )
    const size = Number(count?.n ?? 0)
    // A company with few devices has no deep pages.
    const deep = size > 1000 ? Math.floor(size / 2 / 50) * 50 : 0
    const reads = deviceReads(String(device?.serial), deep).filter(
      ({ name }) => deep || !/page at row/.test(name),
    )
    const others = caller.account.view === 'all' || caller.account.view === 'big' ? OTHER_READS : []
    for (const read of [...reads, ...others])
      results.set(`${read.name} · ${caller.account.view} (${size})`, await measure(read, caller))
  }
  return results
}

async function measureCheckIns(place: Place): Promise<{ one: number; many: number; each: number }> {
  const devices = await devicesOf(place)
  await checkIns(place, devices, 1, 1)
  const one = await checkIns(place, devices, 1, SECONDS)
  const many = await checkIns(place, devices, 16, SECONDS)
  return { one: one.perSecond, many: many.perSecond, each: one.each }
}

const load = () =>
  loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')

if (process.argv.includes('check-ins')) {
  console.log(`Load average before: ${load()}.`)
  await printCheckInCost(process.argv.slice(2))
  console.log(`Load average after: ${load()}.`)
  process.exit(0)
}

const places = await loadedPlaces()
if (!places.length) {
  console.error('Nothing is loaded. Run `npm run bench:seed -- 100000` first.')
  process.exit(2)
}
console.log(
  `Load average before: ${load()}. Times are milliseconds: least / p50 / p95 of ${ROUNDS}, one client.`,
)

let failed = await printLists(places)
if (process.argv.includes('lists')) {
  for (const { place } of places) await place.stop()
  console.log(`\n${failed ? `${failed} FAILED` : 'Every list answered'}. Load average after: ${load()}.`)
  process.exit(failed ? 1 : 0)
}
console.log('')

const reads: Map<string, string>[] = []
const rates: Awaited<ReturnType<typeof measureCheckIns>>[] = []
const smallRates: Awaited<ReturnType<typeof measureCheckIns>>[] = []
for (const { kind, place, fleet } of places) {
  const callers = await Promise.all(accounts(fleet).map((account) => signIn(place, account)))
  for (const { what, passed, detail } of await correctness(place, callers, fleet)) {
    if (!passed) {
      failed++
      console.log(`WRONG at ${place.name}, ${what}: ${detail}`)
    }
  }
  reads.push(await measureReads(place, callers))
  rates.push(await measureCheckIns(place))
  await place.stop()
  // The same server on a hundredth of the fleet, loaded for this run: what a check-in costs may not depend on it.
  const small = await seed(kind, SMALL, () => undefined, '-small')
  smallRates.push(await measureCheckIns(small))
  await small.stop()
}

const names = places.map(({ place }) => place.name)
console.log(
  table(
    ['request', ...names],
    [...(reads[0]?.keys() ?? [])].map((name) => [name, ...reads.map((results) => results.get(name) ?? '')]),
  ),
)
const perSecond = (value: number | undefined) => `${(value ?? 0).toFixed(0)}/s`
console.log('')
console.log(
  table(
    ['agent check-in', ...names],
    [
      ['1 client', ...rates.map(({ one }) => perSecond(one))],
      ['16 clients', ...rates.map(({ many }) => perSecond(many))],
      ['one, milliseconds', ...rates.map(({ each }) => each.toFixed(2))],
      [`one among ${SMALL} devices`, ...smallRates.map(({ each }) => each.toFixed(2))],
      [
        `cost at ${places[0]?.fleet.devices} : at ${SMALL}`,
        ...rates.map(({ each }, i) => (each / (smallRates[i]?.each ?? Number.NaN)).toFixed(2)),
      ],
    ],
  ),
)
console.log(
  `\nCorrectness: ${failed ? `${failed} WRONG or failed` : 'every list, count and search right'}. Load average after: ${load()}.`,
)
process.exit(failed ? 1 : 0)
