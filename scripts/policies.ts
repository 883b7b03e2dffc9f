/**
 * Compiles policies/*.csv, the only source of permissions, to migrations.
 *   npm run policies              writes the lines that changed to the next *_fill_policies.sql, and applies it to the
 *                                 console that runs on the data directory
 *   npm run policies -- --amend   rewrites the newest instead; only while it has not landed anywhere
 *   npm run policies -- --check   writes nothing, fails when the migrations do not match
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPolicies, readPolicies, showProblem } from './policies/lines'
import { newestFill, nextFillName, planFill, renderFill } from './policies/migration'
import { readMigrations, readVocabulary } from './policies/vocabulary'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'supabase/migrations')
const options = process.argv.slice(2)

async function run(): Promise<number> {
  const stray = options.find((option) => !['--amend', '--check'].includes(option))
  if (stray) {
    console.error(`Unknown option ${stray}. Known: --check, --amend`)
    return 2
  }
  const lines = readPolicies(root)
  const problems = checkPolicies(lines, readVocabulary(root))
  if (problems.length > 0) {
    for (const problem of problems) console.error(showProblem(problem))
    return 1
  }
  const migrations = readMigrations(root)
  const files = migrations.map(({ file }) => file)
  const newest = newestFill(files)
  if (!planFill(migrations, lines)) {
    console.log(`The migrations match policies/: ${lines.length} lines`)
    return 0
  }
  if (options.includes('--check')) {
    console.error('The migrations do not match policies/. Run: npm run policies')
    return 1
  }
  const amended = options.includes('--amend') ? newest : undefined
  const fill = planFill(
    migrations.filter(({ file }) => file !== amended),
    lines,
  )
  if (!fill) {
    console.error(`policies/ matches the migrations before ${amended}. Delete that file instead.`)
    return 1
  }
  const target = amended ?? nextFillName(files, new Date())
  writeFileSync(join(folder, target), renderFill(fill))
  const removed = fill.removed === 'all' ? 'all' : fill.removed.length
  console.log(`wrote ${target}: added ${fill.added.length}, removed ${removed}`)
  const { applyToRunning, refreshRunning, tellApplied } = await import('./resource/running')
  console.log(tellApplied(await applyToRunning(), await refreshRunning()))
  return 0
}

process.exitCode = await run()
