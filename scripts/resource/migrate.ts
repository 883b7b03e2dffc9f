import type { Definition } from '@/resource/definition/definition.generated'
import { inspectSource } from '@/resource/inspect/problems'
import { StartError } from '../../supabase/embedded/start-error'
import { addResourcePolicies } from '../resource-policies'
import { readWords } from './check-words'
import { planChanges } from './migration/alter'
import { renderCreate } from './migration/create'
import { planTable } from './migration/plan'
import { resourceNameProblem, unknownName } from './names'
import { tryOut } from './new'
import { applyToRunning, refreshRunning, tellApplied } from './running'
import { openScratch } from './scratch'
import { Stroke } from './stroke'
import { definitionsOf, isGenerated, nextMigration, readDefinitions, writeFill } from './tree'
import { fillWords, humanize, tellUntranslated, writeWords } from './words-of'

export interface MigrateOptions {
  name: string
  /** Takes away what the definition no longer names. */
  drop?: boolean
  /** Leaves a running console as it is. */
  keep?: boolean
}

interface Loaded {
  definition: Definition
  find: (name: string) => Definition | null
}

function load(root: string, name: string): Loaded {
  const files = readDefinitions(root)
  const definitions = definitionsOf(files)
  const names = definitions.map((each) => each.name)
  const find = (wanted: string) => definitions.find((each) => each.name === wanted) ?? null
  const file = files.find((each) => each.definition?.name === name || each.file === `resources/${name}.json`)
  if (!file) {
    const { message, hint } = unknownName('resource', name, names)
    throw new StartError(`${message}${hint ? `\n    ${hint}` : ''}`)
  }
  const problems = inspectSource(file.file, file.text, { find, names })
  if (problems.length > 0 || !file.definition)
    throw new StartError(
      problems
        .map(
          ({ file: path, line, message, hint }) =>
            `${path}:${line}  ${message}${hint ? `\n    ${hint}` : ''}`,
        )
        .join('\n'),
    )
  return { definition: file.definition, find }
}

/** Writes the next migration from a definition against the migrated database, and applies it where a console runs. */
export async function migrateResource(
  root: string,
  options: MigrateOptions,
  say: (line: string) => void,
): Promise<void> {
  const { definition, find } = load(root, options.name)
  const scratch = await openScratch(root)
  try {
    const plan = planTable(definition, find)
    const table = scratch.catalog.tables.find(({ name }) => name === plan.table)
    if (table?.isView)
      throw new StartError(`\`${plan.table}\` is a view: change it in a migration of your own.`)
    const bad = table ? null : resourceNameProblem(plan.table)
    if (bad) throw new StartError(bad.message)
    const tables = scratch.catalog.tables.map(({ name }) => name)
    const changes = table
      ? planChanges(
          {
            definition,
            plan,
            table,
            tables,
            sources: scratch.catalog.triggerSources,
            isGenerated: isGenerated(root, plan.table),
          },
          { drop: options.drop === true },
        )
      : {
          statements: [
            renderCreate(
              plan,
              `${humanize(definition.name)}${plan.isTenant ? ' of a company' : ', the same for every company'}.`,
            ),
          ],
          drops: [],
        }
    for (const note of plan.notes) say(`Note: ${note}`)
    if (table && !isGenerated(root, plan.table))
      for (const { column } of plan.guards)
        say(`Note: see that a trigger of \`${plan.table}\` holds the guard of \`${column}\`.`)
    if (!options.drop)
      for (const { what } of changes.drops)
        say(`Kept, though the definition does not name it: ${what}. --drop takes it away.`)

    const words = fillWords(definition, readWords(root))
    const stroke = new Stroke(root)
    const now = new Date()
    let applied: string[] | null = null
    try {
      if (changes.statements.length > 0) {
        const sql = table
          ? `-- ${humanize(plan.table)} as their definition has them now.\n\n${changes.statements.join('\n')}\n`
          : changes.statements.join('\n')
        await tryOut(scratch, sql)
        stroke.write(nextMigration(root, `${table ? 'change' : 'create'}_${plan.table}`, now), sql)
      }
      const policies = addResourcePolicies(root, definition.name, {
        ...(definition.requires === 'pro' ? { needsPro: true } : {}),
        ...(plan.isTenant ? {} : { isPlatform: true }),
        beforeWrite: (file) => stroke.keep(file),
      })
      if (policies.length > 0) writeFill(root, stroke, now)
      if (!options.keep) applied = await applyToRunning()
      writeWords(words, stroke)
    } catch (error) {
      stroke.undo()
      throw error
    }
    const written = stroke.written()
    for (const path of written) say(`wrote ${path}`)
    if (written.length === 0)
      say(`Nothing to do: \`${plan.table}\` is what resources/${definition.name}.json says.`)
    for (const line of tellUntranslated(words)) say(line)
    if (options.keep) say('The running console was left as it is (--keep).')
    else say(tellApplied(applied, await refreshRunning()))
  } finally {
    await scratch.stop()
  }
}
