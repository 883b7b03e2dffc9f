import type { loadedPlaces } from './databases'
import { loadEngine } from './engine'
import { accounts } from './fleet'
import { KINDS, listRows, measureLists } from './lists'
import { setting } from './setting'
import { table } from './statistics'

/** The lists as a Super Admin sees them over all companies, and as the Admin of the biggest company does. */
const VIEWS = ['big', 'all'].slice(0, setting('BENCH_LIST_VIEWS', 2, 1))

/** Prints a table a database, and gives how many lists could not be read. */
export async function printLists(places: Awaited<ReturnType<typeof loadedPlaces>>): Promise<number> {
  const engine = await loadEngine()
  let failed = 0
  for (const { place, fleet } of places) {
    const results = []
    for (const account of accounts(fleet).filter(({ view }) => VIEWS.includes(view)))
      results.push(...(await measureLists(place, engine, account)))
    failed += results.filter((result) => result.failed).length
    console.log(
      `\n${place.name}: p50 / p95 in milliseconds ×(p50 of the devices' list), the slowest of each kind\n`,
    )
    console.log(table(['list', 'view', 'rows', ...KINDS], listRows(results)))
  }
  await engine.stop()
  return failed
}
