/**
 * Compiles policies/*.csv, the only source of permissions, to a migration.
 *   npm run policies              writes the next *_fill_policies.sql when the newest says something else, and applies
 *                                 it to the console that runs on the data directory
 *   npm run policies -- --amend   rewrites the newest instead; only while it has not landed anywhere
 *   npm run policies -- --check   writes nothing, fails when the newest says something else
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPolicies, readPolicies, showProblem } from './policies/lines'
import { newestFill, nextFillName, renderMigration } from './policies/migration'
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
  const files = readMigrations(root).map(({ file }) => file)
  const newest = newestFill(files)
  const wanted = renderMigration(lines)
  if (newest && readFileSync(join(folder, newest), 'utf8') === wanted) {
    console.log(`${newest} matches policies/: ${lines.length} lines`)
    return 0
  }
  if (options.includes('--check')) {
    console.error(`${newest ?? 'No migration'} does not say what policies/ says. Run: npm run policies`)
    return 1
  }
  const target = options.includes('--amend') && newest ? newest : nextFillName(files, new Date())
  writeFileSync(join(folder, target), wanted)
  console.log(`wrote ${target}: ${lines.length} lines`)
  const { applyToRunning, refreshRunning, tellApplied } = await import('./resource/running')
  console.log(tellApplied(await applyToRunning(), await refreshRunning()))
  return 0
}

process.exitCode = await run()
