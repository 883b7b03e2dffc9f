/**
 * Loads the benchmark's fleet: `npm run bench:seed -- 100000 [--postgres]`.
 * Replaces what an earlier load left in DATA_DIR (`supabase/.temp/bench`), and with `--postgres` beside it.
 */
import { whyNoPostgres } from '../support/postgres'
import { type Kind, seed } from './databases'

const words = process.argv.slice(2)
const devices = Number(words.find((word) => /^\d+$/.test(word)) ?? 100_000)
const unknown = words.filter((word) => !/^\d+$/.test(word) && word !== '--postgres')
if (unknown.length || devices < 100) {
  console.error('Usage: npm run bench:seed -- <devices, at least 100> [--postgres]')
  process.exit(2)
}
const kinds: Kind[] = ['PGlite']
if (words.includes('--postgres')) {
  const reason = whyNoPostgres()
  if (reason) {
    console.error(`Only PGlite can be loaded: ${reason}.`)
    process.exit(2)
  }
  kinds.push('PostgreSQL')
}
for (const kind of kinds) {
  const started = performance.now()
  const place = await seed(kind, devices, console.log)
  await place.stop()
  console.log(`${kind}: ${devices} devices in ${((performance.now() - started) / 1000).toFixed(0)} s`)
}
