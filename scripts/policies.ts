/**
 * Compiles policies/*.csv, the only source of permissions, to migrations.
 *   npm run policies              writes the lines that changed to the next *_fill_policies.sql, says who gains and
 *                                 loses what, and applies it to the console that runs on the data directory
 *   npm run policies -- --amend   rewrites the newest instead; only while it has not landed anywhere
 *   npm run policies -- --check   writes nothing, fails when the migrations do not match
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT as root } from '../supabase/embedded/root'
import { licenseChanges, roleChanges, tellChange } from './policies/changes'
import { checkPolicies, fileOf, type PolicyLine, readPolicies, showProblem } from './policies/lines'
import {
  filledLines,
  hasLines,
  LINES_FILE,
  type Migration,
  newestFill,
  nextFillName,
  planFill,
  renderFill,
  renderLines,
} from './policies/migration'
import { readMigrations, readVocabulary } from './policies/vocabulary'
import { roleWordProblems } from './policies/words'
import { runAlone, Stroke } from './resource/stroke'
import { main } from './support/environment'

const FOLDER = 'supabase/migrations'
const options = process.argv.slice(2)

/** Says who gains and loses what. False if a role is removed that accounts have. */
async function tellChanges(before: readonly Migration[], lines: readonly PolicyLine[]): Promise<boolean> {
  const { liveRoleHolders } = await import('./resource/running')
  const [old, wanted] = [filledLines(before), lines.map(({ cells }) => cells)]
  const changes = roleChanges(old, wanted)
  const holders = await liveRoleHolders(root)
  const kept = changes.filter(({ kind, role }) => kind === 'removed' && (holders?.get(role) ?? 0) > 0)
  for (const { role } of kept) {
    const count = holders?.get(role) ?? 0
    const text = `the role ${role} cannot be removed: accounts with it: ${count}. Give these accounts another role first (Settings, Users), or restore the file.`
    console.error(showProblem({ file: fileOf(role), line: 1, text }))
  }
  if (kept.length > 0) return false
  for (const change of changes) console.log(tellChange(change, holders))
  for (const change of licenseChanges(old, wanted)) console.log(change)
  return true
}

/** Applies what is pending to the console that runs on the data directory. */
async function applyToRunning(): Promise<string[] | null> {
  return (await import('./resource/running')).applyToRunning()
}

function tellApplied(applied: string[] | null): void {
  if (applied === null)
    console.log('No console runs on this data directory: the migrations are applied when it next starts.')
  else if (applied.length > 0)
    console.log(`Applied to the running console: ${applied.join(', ')}. Open pages follow at once.`)
}

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
  for (const { file, line, message, hint } of roleWordProblems(root, lines))
    console.warn(`${file}:${line}: ${message}. ${hint}`)
  const migrations = readMigrations(root)
  const files = migrations.map(({ file }) => file)
  const newest = newestFill(files)
  const isCheck = options.includes('--check')
  const isWritten = hasLines(root, lines)
  if (isCheck && !isWritten) {
    console.error(`${LINES_FILE} does not match policies/. Run: npm run policies`)
    return 1
  }
  if (!planFill(migrations, lines)) {
    if (!isWritten) writeFileSync(join(root, LINES_FILE), renderLines(lines))
    console.log(`The migrations match policies/: ${lines.length} lines`)
    if (!isCheck) tellApplied(await applyToRunning())
    return 0
  }
  if (isCheck) {
    console.error('The migrations do not match policies/. Run: npm run policies')
    return 1
  }
  const amended = options.includes('--amend') ? newest : undefined
  const before = migrations.filter(({ file }) => file !== amended)
  const fill = planFill(before, lines)
  if (!fill) {
    console.error(`policies/ matches the migrations before ${amended}. Delete that file instead.`)
    return 1
  }
  if (!(await tellChanges(before, lines))) return 1
  const target = amended ?? nextFillName(files, new Date())
  const stroke = new Stroke(root)
  try {
    stroke.write(join(FOLDER, target), renderFill(fill))
    if (!isWritten) stroke.write(LINES_FILE, renderLines(lines))
    const removed = fill.removed === 'all' ? 'all' : fill.removed.length
    console.log(`Wrote ${target}: added ${fill.added.length}, removed ${removed}`)
    tellApplied(await stroke.apply(applyToRunning, () => undefined))
  } catch (error) {
    stroke.undo(error)
    throw error
  }
  return 0
}

await main(async () => {
  const command = async () => {
    process.exitCode = await run()
  }
  if (options.includes('--check')) await command()
  else await runAlone(root, { apply: applyToRunning, say: console.log, command })
})
