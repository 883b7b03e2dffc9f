import type { Definition } from '@/resource/language/definition.generated'
import { inspectSource } from '@/resource/language/inspect/problems'
import { fieldNameProblem, resourceNameProblem } from '@/resource/language/inspect/reserved'
import { createPath, listPath, tableOf } from '@/resource/language/naming'
import { StartError } from '../../supabase/embedded/start-error'
import { listed, mentionsInCode, quoted } from './mentions'
import { planComments } from './migration/comments'
import { renderGuards, renderPeople } from './migration/guards'
import { type Find, GIVEN, planTable } from './migration/plan'
import { renderRowRules, rowRuleDrops } from './migration/row-rules'
import { refuse, takenProblem, unknownName } from './names'
import { tryOut } from './new'
import { readPages } from './pages'
import { renameBounds } from './rename/bounds'
import { readSchemas, renameKept, withTexts } from './rename/from-schemas'
import { renameInData } from './rename/in-data'
import { type NamedObjects, readNamedObjects, renameInDatabase } from './rename/in-database'
import { renameInDefinition, renameInPolicies, renameInWords } from './rename/in-files'
import { fieldRenames, type Renames, resourceRenames } from './rename/renames'
import { applyToRunning, refreshRunning, tellApplied } from './running'
import { openScratch, type Scratch } from './scratch'
import { Stroke } from './stroke'
import {
  changePolicies,
  definitionsOf,
  isGenerated,
  type ResourceFile,
  readDefinitions,
  writeFill,
  writeMigration,
  writeTypes,
} from './tree'
import { readWords, writeWords } from './word-files'
import { fillWords, type Labels, tellUntranslated } from './words-of'

export interface RenameOptions {
  /** `printers`, or `printers.room` for a field. */
  name: string
  to: string
  /** The new names of the resource on screens; without them, the texts stay. */
  labels: Labels
  /** Renames although code or functions keep the old name. */
  yes?: boolean
  /** Leaves a running console as it is. */
  keep?: boolean
}

/** The definition that a command names. @throws StartError with what was probably meant. */
export function namedDefinition(files: readonly ResourceFile[], name: string): Definition {
  const definitions = definitionsOf(files)
  const definition = definitions.find((each) => each.name === name)
  const names = definitions.map((each) => each.name)
  return definition ?? refuse(unknownName('resource', name, names))
}

/** The files as they were if the definition was given the new name of a field by hand already. */
function beforeRename(files: readonly ResourceFile[], { name, to }: RenameOptions): readonly ResourceFile[] {
  const [resource, from] = name.split('.')
  return files.map((each) => {
    const { definition, text } = each
    if (!definition || definition.name !== resource || from === undefined) return each
    if (from in definition.fields || !(to in definition.fields)) return each
    const renames = fieldRenames(definition, { from: to, to: from }, [], definitionsOf(files))
    const before = renameInDefinition(text, definition, renames)
    return { ...each, text: before, definition: JSON.parse(before) as Definition }
  })
}

/** Refuses the renames that can be refused without a database. */
function checkNames(
  root: string,
  { name, to, yes }: RenameOptions,
  files: readonly ResourceFile[],
): Definition {
  const [resource = '', from] = name.split('.')
  const definition = namedDefinition(files, resource)
  const bad = from === undefined ? resourceNameProblem(to) : fieldNameProblem(to, { isNew: true })
  if (bad) refuse(bad)
  if (from !== undefined) {
    const fields = Object.keys(definition.fields)
    if (!fields.includes(from)) refuse(unknownName(`field of \`${resource}\``, from, fields))
    if (fields.includes(to))
      refuse({
        message: `\`${resource}\` has a field \`${to}\` already`,
        hint: `Choose another name. If \`${to}\` is to go: take it out of resources/${resource}.json, run \`npm run resource migrate ${resource} -- --drop ${to}\`, then rename.`,
      })
    if (GIVEN.includes(from))
      refuse({ message: `\`${from}\` is a column that every table has: its name stays` })
  }
  const code = inspectCode(root, definition, from)
  if (code.length > 0 && !yes)
    throw new StartError(
      `Code names \`${name}\`, which a command cannot rename:${listed(code)}\nNothing was renamed. Change the code with it, and add --yes.`,
    )
  return definition
}

function planRenames(
  root: string,
  definition: Definition,
  { name, to }: RenameOptions,
  definitions: readonly Definition[],
  { catalog }: Scratch,
  isDone: boolean,
): Renames {
  const [, from] = name.split('.')
  const tables = catalog.tables.map((each) => each.name)
  const columns = catalog.tables.find((each) => each.name === tableOf(definition))?.columns ?? []
  const known = columns.map((column) => column.name)
  if (from !== undefined) {
    const renames = fieldRenames(definition, { from, to }, known, definitions)
    if (isDone && renames.columns.size === 0)
      refuse(unknownName(`column of \`${tableOf(definition)}\``, from, known))
    if (renames.columns.size > 0 && known.includes(to))
      refuse({
        message: `the table \`${tableOf(definition)}\` has a column \`${to}\` already, which the definition does not name`,
        hint: `Choose another name, or drop that column first: npm run resource migrate ${definition.name} -- --drop ${to}`,
      })
    return renames
  }
  const renames = resourceRenames(definition, to)
  const taken = takenProblem(
    { ...definition, name: to },
    {
      definitions: definitions.filter((each) => each !== definition),
      tables: renames.tables.size > 0 ? tables : [],
      paths: readPages(root).flatMap(({ values }) => values.path ?? []),
    },
  )
  if (taken) refuse(taken)
  const join = [...renames.tables.values()].find((next) => next !== to && tables.includes(next))
  if (join) refuse({ message: `there is a table \`${join}\` already, which the join would be renamed to` })
  return renames
}

/** Code that refers to the old name would fail after the rename. */
function inspectCode(root: string, definition: Definition, field: string | undefined): string[] {
  const resource = quoted(definition.name, listPath(definition))
  if (field === undefined) return mentionsInCode(root, resource)
  return mentionsInCode(root, new RegExp(`\\b${field}\\b`), (text) => resource.test(text))
}

/** The trigger functions of a table that the generator made, for the new names, by their old name. */
function generatedFunctions(
  renames: Renames,
  table: string,
  renamed: Definition,
  find: Find,
): Map<string, string> {
  const plan = planTable(renamed, find)
  const written = [
    [`app.guard_${table}`, renderGuards(plan)],
    [`app.check_people_of_${table}`, renderPeople(plan)],
  ] as const
  return new Map(
    written.flatMap(([name, sql]): [string, string][] => {
      const body = sql.slice(0, Math.max(0, sql.lastIndexOf('\ncreate trigger ')))
      return body && (renames.tables.has(table) || renames.columns.has(table))
        ? [[name, body.replace('create function', 'create or replace function')]]
        : []
    }),
  )
}

/** Row rules are written from the definition, so that those of the new one take the place of the old ones. */
function renameRules(
  objects: NamedObjects,
  definition: Definition,
  renamed: Definition,
  { definitions, find, scratch }: { definitions: readonly Definition[]; find: Find; scratch: Scratch },
): { drop: string[]; again: string[]; rest: NamedObjects } {
  if (!definition.rules) return { drop: [], again: [], rest: objects }
  const before = planTable(definition, (name) => definitions.find((each) => each.name === name) ?? null)
  const { tables, triggerSources: sources } = scratch.catalog
  const { sql, policies, functions } = rowRuleDrops({ ...before, tables, sources })
  return {
    drop: sql,
    again: [renderRowRules(planTable(renamed, find))],
    rest: {
      ...objects,
      policies: objects.policies.filter(
        ({ table, name }) => !policies.some((each) => each.on === table && each.name === name),
      ),
      functions: objects.functions.filter(
        ({ schema, name }) => schema !== 'app' || !functions.includes(name),
      ),
    },
  }
}

/** Renames a resource or one of its fields in the database and in every file that names it; all of it, or nothing. */
export async function renameResource(
  root: string,
  options: RenameOptions,
  say: (line: string) => void,
): Promise<void> {
  const written = readDefinitions(root)
  const files = beforeRename(written, options)
  const isDone = files.some((file, index) => file !== written[index])
  const definition = checkNames(root, options, files)
  const texts = readWords(root)
  const scratch = await openScratch(root)
  try {
    const renames = planRenames(root, definition, options, definitionsOf(files), scratch, isDone)
    const { resource, route } = renames
    const edited = files.map((file) => ({
      ...file,
      next: file.definition ? renameInDefinition(file.text, file.definition, renames) : file.text,
    }))
    const definitions = edited.flatMap(({ definition: before, next }) =>
      before ? [JSON.parse(next) as Definition] : [],
    )
    const find = (name: string) => definitions.find((each) => each.name === name) ?? null
    const context = { find, names: definitions.map(({ name }) => name) }
    const [problem] = edited.flatMap(({ file, next }) => inspectSource(file, next, context))
    if (problem)
      throw new StartError(
        `${problem.file}:${problem.line}  ${problem.message}${problem.hint ? `\n    ${problem.hint}` : ''}\n    Correct this first: nothing was renamed.`,
      )

    const renamed = find(resource?.to ?? definition.name) ?? definition
    const table = tableOf(definition)
    const generated = isGenerated(root, table)
      ? generatedFunctions(renames, table, renamed, find)
      : new Map<string, string>()
    const schemas = await readSchemas(root)
    const all = await readNamedObjects(scratch.query)
    const rules = renameRules(all, definition, renamed, { definitions: definitionsOf(files), find, scratch })
    const named = rules.rest
    const bounds = renameBounds(
      schemas ? withTexts(named, schemas) : named,
      definitionsOf(files),
      definitions,
    )
    const kept = schemas
      ? renameKept(bounds.rest, schemas, renames, planComments(renamed))
      : { drop: [], again: [], rest: bounds.rest }
    const database = renameInDatabase(kept.rest, renames, generated)
    if (database.unclear.length > 0 && !options.yes)
      throw new StartError(
        `Functions name \`${options.name.split('.')[1] ?? options.name}\`, and also a parameter, variable or other column called so:${listed(database.unclear)}\nNothing was renamed. With --yes it is; then write these functions again in a migration of your own.`,
      )
    const statements = [
      ...rules.drop,
      ...bounds.drop,
      ...kept.drop,
      ...database.statements,
      ...kept.again,
      ...bounds.create,
      ...rules.again,
      ...renameInData(renames, definitionsOf(files)),
    ]
    const sql = `-- Renames ${options.name} to ${options.to}. Rows stay; what named them follows.\n\n${statements.join('\n')}\n`
    await tryOut(scratch, sql)

    const words = fillWords(renamed, renameInWords(texts, renames, options.labels), options.labels)
    const stroke = new Stroke(root)
    let [applied, byHand]: [string[] | null, string[]] = [null, []]
    try {
      const now = new Date()
      const what = resource ? `rename_${resource.from}_to_${resource.to}` : `rename_column_of_${table}`
      byHand = await writeMigration(root, stroke, { name: what, sql, now })
      changePolicies(root, stroke, (csv) => renameInPolicies(csv, renames))
      writeFill(root, stroke, now)
      await writeTypes(root, stroke, scratch.query)
      applied = await stroke.apply(
        async () => (options.keep ? null : applyToRunning()),
        () => {
          writeWords(stroke, texts, words.words)
          for (const { file, text, next, definition: each } of edited) {
            const path = resource && each?.name === resource.from ? `resources/${resource.to}.json` : file
            if (path !== file) stroke.remove(file)
            if (path !== file || next !== text) stroke.write(path, next)
          }
        },
      )
    } catch (error) {
      stroke.undo(error)
      throw error
    }
    for (const line of [...stroke.told(), ...byHand]) say(line)
    if (database.functions.length > 0) say(`Functions written again: ${database.functions.join(', ')}`)
    if (database.unclear.length > 0)
      say(`These functions still use the old name. Write them again: ${database.unclear.join(', ')}`)
    for (const line of tellUntranslated(words)) say(line)
    if (route)
      say(
        `Addresses change: bookmarks of ${route.from} and of its records lead nowhere. The list is at ${route.to}, the form at ${createPath(renamed)}. To keep the address: "route": "${route.from.slice(1)}".`,
      )
    if (resource && Object.keys(options.labels).length === 0)
      say(
        `Its texts stay. Change them in locales/*/resources/${resource.to}.json, or rename with --label "One/Many".`,
      )
    if (options.keep) say('The running console was left as it is (--keep).')
    else say(tellApplied(applied, await refreshRunning()))
  } finally {
    await scratch.stop()
  }
}
