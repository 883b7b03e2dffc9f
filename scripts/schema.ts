/**
 * `supabase/schemas` describes the database in its final state; migrations take a database there.
 *   npm run schema -- baseline      writes the first migration from supabase/schemas; only while nothing has landed on it
 *   npm run schema -- diff <name>   writes the migration from what the migrations make to what the schemas say; `--drop`
 *                                   also drops what no schema file has
 *   npm run schema -- follow [file] writes into the schemas what a migration written by hand does, the newest by default
 *   npm run schema -- --check       writes nothing, fails when the two differ
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT as root } from '../supabase/embedded/root'
import { checkDifference, followMigration, writeDifference } from './schema/command'
import { renderBaseline, schemaFiles } from './schema/files'
import { main } from './support/environment'

const FOLDER = 'supabase/migrations'

function writeBaseline(): number {
  const names = readdirSync(join(root, FOLDER)).filter((name) => name.endsWith('.sql'))
  const [first = '', ...later] = names.sort()
  if (!first.endsWith('_baseline.sql') || later.length > 0) {
    console.error(
      `${FOLDER} holds more than the baseline. A database may have these migrations: write the next one with npm run schema -- diff <name>.`,
    )
    return 1
  }
  const text = renderBaseline(schemaFiles(root))
  const isSame = readFileSync(join(root, FOLDER, first), 'utf8') === text
  if (!isSame) writeFileSync(join(root, FOLDER, first), text)
  console.log(isSame ? `${first} is what the schemas say` : `Wrote ${first}`)
  return 0
}

await main(async () => {
  const words = process.argv.slice(2)
  const isDrop = words.includes('--drop')
  const [command, name, ...more] = words.filter((word) => word !== '--drop')
  const isUnread = more.length > 0 || (isDrop && command !== 'diff')
  if (isUnread) {
    console.error(`${[...more, isDrop ? '--drop' : ''].join(' ').trim()}: these words mean nothing here.`)
    process.exitCode = 2
  } else if (command === 'baseline') process.exitCode = writeBaseline()
  else if (command === 'diff')
    process.exitCode = await writeDifference(root, { name, isDrop }, console.log, console.error)
  else if (command === 'follow')
    process.exitCode = await followMigration(root, name, console.log, console.error)
  else if (command === '--check') process.exitCode = await checkDifference(root, console.log, console.error)
  else {
    console.error('Usage: npm run schema -- baseline | diff <name> [--drop] | follow [file] | --check')
    process.exitCode = 2
  }
})
