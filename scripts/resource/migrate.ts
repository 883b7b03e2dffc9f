import type { Definition } from '@/resource/language/definition.generated'
import { inspectSource } from '@/resource/language/inspect/problems'
import { resourceNameProblem } from '@/resource/language/inspect/reserved'
import { tableOf } from '@/resource/language/naming'
import type { Catalog, CatalogTable } from '../../supabase/embedded/catalog'
import { StartError } from '../../supabase/embedded/start-error'
import { readMigrations } from '../policies/vocabulary'
import { addCommentPolicies, addResourcePolicies, removeCommentPolicies } from '../resource-policies'
import { confirmDeletion } from './ask'
import { refuseBreakingRows } from './breaking-rows'
import { type Changes, type Dropping, planChanges } from './migration/alter'
import type { Drop } from './migration/alter-columns'
import { dropComments, planComments, renderCommentChanges, renderComments } from './migration/comments'
import { renderCreate } from './migration/create'
import { dropFilesSql, filesLeft } from './migration/files'
import { planTable, type TablePlan } from './migration/plan'
import { refuse, unknownName } from './names'
import { tryOut } from './new'
import { askRenamed, type RenamedPair, renamedPairs } from './rename/ask-renamed'
import { applyToRunning, askLiveRows, isRunning, liveCatalog, refreshRunning, tellApplied } from './running'
import { openScratch, type Scratch } from './scratch'
import { Stroke } from './stroke'
import { definitionsOf, isGenerated, readDefinitions, writeFill, writeMigration, writeTypes } from './tree'
import { type ResourceWordFiles, readWords, writeWords } from './word-files'
import { fillWords, humanize, tellUntranslated } from './words-of'

export interface MigrateOptions {
  name: string
  /** Takes away what the definition no longer names, or only these fields. */
  drop?: Dropping
  /** Asks nothing: a field that could be a renamed one is added, and dropped columns are deleted. */
  yes?: boolean
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

/** The table of comments, where the definition has it and the database does not or has it otherwise. */
async function commentStatements({ catalog, query }: Scratch, definition: Definition): Promise<string[]> {
  const plan = planComments(definition)
  if (!plan) return []
  if (!catalog.tables.some(({ name }) => name === plan.table)) return [renderComments(plan)]
  const [row] = await query<{ is_same: boolean }>(
    'select settings = $2::jsonb as is_same from app.commented where comments = $1',
    [plan.table, JSON.stringify(plan.settings)],
  )
  return row?.is_same ? [] : [renderCommentChanges(plan)]
}

interface Thread {
  comments: string
  searched: boolean
  objects: string[]
}

/** The comments that the database keeps and the definition no longer has. */
async function staleComments({ query }: Scratch, definition: Definition): Promise<Thread | null> {
  if (definition.comments) return null
  const [found] = await query<{
    comments: string
    settings: { search?: boolean; kinds: Record<string, { object?: string }> }
  }>('select comments, settings from app.commented where resource = $1', [definition.name])
  if (!found) return null
  return {
    comments: found.comments,
    searched: found.settings.search === true,
    objects: Object.values(found.settings.kinds).flatMap(({ object }) => object ?? []),
  }
}

/** Attachments and comments are dropped as columns are: by a word, or with all that the definition no longer has. */
function dropFeatures(
  { definition, plan, table, changes }: Planned,
  thread: Thread | null,
  drop: Dropping,
): void {
  const isDropped = (name: string) => (typeof drop === 'boolean' ? drop : drop.includes(name))
  const features: Drop[] = [
    ...(table?.files && '' in table.files && !definition.attachments
      ? [
          {
            column: 'attachments',
            what: `the attachments of \`${plan.table}\``,
            sql: dropFilesSql(plan.table, ''),
          },
        ]
      : []),
    ...(thread
      ? [
          {
            column: 'comments',
            what: `the comments on \`${plan.table}\``,
            sql: dropComments(thread.comments, plan, thread.searched),
          },
        ]
      : []),
  ]
  const dropped = features.filter(({ column }) => isDropped(column))
  changes.statements.push(...dropped.map(({ sql }) => sql))
  changes.dropped.push(...dropped)
  changes.kept.push(...features.filter(({ column }) => !isDropped(column)))
  const gone = changes.dropped.map(({ column }) => (column === 'attachments' ? '' : column))
  if (table) changes.statements.push(...filesLeft(table, gone))
}

interface Planned extends Loaded {
  plan: TablePlan
  table: CatalogTable | undefined
  changes: Changes
}

function planAgainst(root: string, { definition, find }: Loaded, catalog: Catalog, drop: Dropping): Planned {
  const plan = planTable(definition, find)
  const table = catalog.tables.find(({ name }) => name === plan.table)
  const bad = table ? null : resourceNameProblem(plan.table)
  if (bad) throw new StartError(bad.message)
  const compared = {
    definition,
    plan,
    tables: catalog.tables.map(({ name }) => name),
    catalog: catalog.tables,
    sources: catalog.triggerSources,
    isGenerated: isGenerated(root, plan.table),
  }
  const comment = `${humanize(definition.name)}${plan.isTenant ? ' of a company' : ', the same for every company'}.`
  const changes: Changes = table
    ? planChanges({ ...compared, table }, { drop })
    : {
        statements: [renderCreate(plan, comment)],
        dropped: [],
        kept: [],
        probes: [],
        refusals: [],
        added: [],
      }
  return { definition, find, plan, table, changes }
}

function refuseChanges({ changes: { refusals } }: Planned): void {
  if (refusals.length > 0)
    throw new StartError(refusals.map(({ message, hint }) => `${message}\n    ${hint}`).join('\n'))
}

/**
 * Asks the running console's database, which answers at once, whether the change is possible at all: the migrated database
 * in memory takes seconds to make. With pending migrations only the database in memory can tell.
 */
async function refuseEarly(root: string, loaded: Loaded, drop: Dropping): Promise<void> {
  const live = isRunning() ? await liveCatalog(root) : null
  if (!live?.tables.some(({ name, isView }) => name === tableOf(loaded.definition) && !isView)) return
  const [rows] = await askLiveRows(root, ['select version from supabase_migrations.schema_migrations'])
  const applied = new Set(rows?.map(({ version }) => String(version)))
  if (readMigrations(root).every(({ file }) => applied.has(file.split('_')[0] ?? '')))
    refuseChanges(planAgainst(root, loaded, live, drop))
}

/** @throws StartError for a field that cannot be dropped. */
function checkDropped({ definition, changes: { dropped, kept } }: Planned, drop: Dropping): void {
  for (const name of typeof drop === 'boolean' ? [] : drop) {
    if (dropped.some(({ column }) => column === name)) continue
    if (name in definition.fields)
      refuse({
        message: `\`${name}\` is a field of resources/${definition.name}.json`,
        hint: 'Remove it there first, then drop it.',
      })
    refuse(
      unknownName(
        `column to drop in \`${definition.name}\``,
        name,
        kept.map(({ column }) => column),
      ),
    )
  }
}

/** Asks with how many values of each dropped column the database in use holds. */
async function confirmDrops(root: string, { plan, changes: { dropped } }: Planned): Promise<void> {
  if (dropped.length === 0) return
  const columns = dropped.filter(({ isColumn }) => isColumn)
  const answers = await askLiveRows(
    root,
    columns.map(
      ({ column }) =>
        `select count(*)::integer as total from public.${plan.table} where ${column} is not null`,
    ),
  )
  const told = dropped.map((each) => {
    const total = answers[columns.indexOf(each)]?.[0]?.total
    return typeof total === 'number'
      ? `${each.what} (${total} ${total === 1 ? 'value' : 'values'})`
      : each.what
  })
  await confirmDeletion(told.join(', '))
}

function tellPlan(
  root: string,
  { definition, plan, table, changes: { dropped, kept } }: Planned,
  say: (line: string) => void,
): void {
  const isThere = (name: string) => table?.columns.some((column) => column.name === name)
  for (const { column, note } of plan.ownColumns) if (!isThere(column)) say(`Note: ${note}`)
  for (const note of plan.notes) say(`Note: ${note}`)
  if (table && !isGenerated(root, plan.table))
    for (const { column } of plan.guards)
      say(`Note: see that a trigger of \`${plan.table}\` holds the guard of \`${column}\`.`)
  for (const { what } of dropped) say(`Dropped, because the definition does not name it: ${what}.`)
  for (const { what, column } of kept)
    say(
      `Kept, though the definition does not name it: ${what}. To drop it: npm run resource migrate ${definition.name} -- --drop ${column}`,
    )
}

/** For a view, only texts, permission lines and types are written. Pending migrations are applied, too. */
async function migrateView(
  root: string,
  definition: Definition,
  { scratch: { query }, texts }: { scratch: Scratch; texts: ResourceWordFiles },
  { keep }: MigrateOptions,
  say: (line: string) => void,
): Promise<void> {
  const words = fillWords(definition, texts)
  const stroke = new Stroke(root)
  let applied: string[] | null = null
  try {
    const policies = addResourcePolicies(root, definition.name, {
      ...(definition.requires === 'pro' ? { needsPro: true } : {}),
      ...(definition.tenant === false ? { isPlatform: true } : {}),
      ...(definition.form === false ? { isReadOnly: true } : {}),
      write: (file, text) => stroke.write(file, text),
    })
    if (policies.length > 0) writeFill(root, stroke, new Date())
    await writeTypes(root, stroke, query)
    applied = await stroke.apply(
      async () => (keep ? null : applyToRunning()),
      () => writeWords(stroke, texts, words.words),
    )
  } catch (error) {
    stroke.undo(error)
    throw error
  }
  for (const line of stroke.told()) say(line)
  for (const line of tellUntranslated(words)) say(line)
  if (keep) say('The running console was left as it is (--keep).')
  else say(tellApplied(applied, await refreshRunning()))
}

/** Writes and applies the migration, unless fields have to be renamed first: they are the answer. */
async function migrateOnce(
  root: string,
  options: MigrateOptions,
  say: (line: string) => void,
): Promise<RenamedPair[]> {
  const loaded = load(root, options.name)
  const { definition } = loaded
  await refuseEarly(root, loaded, options.drop ?? false)
  const texts = readWords(root)
  const scratch = await openScratch(root)
  try {
    const view = scratch.catalog.tables.find(({ name, isView }) => isView && name === tableOf(definition))
    if (view) {
      say(`\`${view.name}\` is a view: what it reads is changed in a migration of your own.`)
      await migrateView(root, definition, { scratch, texts }, options, say)
      return []
    }
    const drop = options.drop ?? false
    const planned = planAgainst(root, loaded, scratch.catalog, drop)
    const { plan, table, changes } = planned
    changes.statements.push(...(await commentStatements(scratch, definition)))
    const thread = await staleComments(scratch, definition)
    dropFeatures(planned, thread, drop)
    checkDropped(planned, drop)
    refuseChanges(planned)
    if (!options.yes) {
      const isKept = ({ from }: RenamedPair) => changes.kept.some(({ column }) => column === from)
      const pairs = table ? renamedPairs(definition, plan, table).filter(isKept) : []
      const renamed = await askRenamed(definition.name, pairs)
      if (renamed.length > 0) return renamed
      await confirmDrops(root, planned)
    }
    tellPlan(root, planned, say)
    const gone = [...changes.dropped, ...changes.kept].map(({ column }) => column)
    const unnamed = gone.filter((name) => !(name in definition.fields))
    const words = fillWords(definition, texts, {}, unnamed)
    const stroke = new Stroke(root)
    const now = new Date()
    let [applied, byHand]: [string[] | null, string[]] = [null, []]
    try {
      if (changes.statements.length > 0) {
        const sql = table
          ? `-- ${humanize(plan.table)} as their definition has them now.\n\n${changes.statements.join('\n')}\n`
          : changes.statements.join('\n')
        await tryOut(scratch, sql)
        await refuseBreakingRows(changes, (questions) => askLiveRows(root, questions))
        const name = `${table ? 'change' : 'create'}_${plan.table}`
        byHand = await writeMigration(root, stroke, { name, sql, now })
      }
      const policies = addResourcePolicies(root, definition.name, {
        ...(definition.requires === 'pro' ? { needsPro: true } : {}),
        ...(plan.isTenant ? {} : { isPlatform: true }),
        write: (file, text) => stroke.write(file, text),
      })
      const forComments = addCommentPolicies(root, definition, (file, text) => stroke.write(file, text))
      const isThreadGone = thread && changes.dropped.some(({ column }) => column === 'comments')
      const without = isThreadGone
        ? removeCommentPolicies(root, definition.name, thread.objects, (file, text) =>
            stroke.write(file, text),
          )
        : []
      if (policies.length + forComments.length + without.length > 0) writeFill(root, stroke, now)
      await writeTypes(root, stroke, scratch.query)
      applied = await stroke.apply(
        async () => (options.keep ? null : applyToRunning()),
        () => writeWords(stroke, texts, words.words),
      )
    } catch (error) {
      stroke.undo(error)
      throw error
    }
    const told = [...stroke.told(), ...byHand]
    for (const line of told) say(line)
    if (told.length === 0)
      say(`Nothing to do: \`${plan.table}\` is what resources/${definition.name}.json says.`)
    for (const line of tellUntranslated(words)) say(line)
    if (options.keep) say('The running console was left as it is (--keep).')
    else say(tellApplied(applied, await refreshRunning()))
    return []
  } finally {
    await scratch.stop()
  }
}

/** Applies the migrations that the running console does not have, such as one written by hand. */
export async function applyPending(isKept: boolean, say: (line: string) => void): Promise<void> {
  if (isKept) say('The running console was left as it is (--keep).')
  else say(tellApplied(await applyToRunning(), await refreshRunning()))
}

/** Writes the next migration from a definition against the migrated database, and applies it where a console runs. */
export async function migrateResource(
  root: string,
  options: MigrateOptions,
  say: (line: string) => void,
): Promise<void> {
  const renamed = await migrateOnce(root, options, say)
  for (const { from, to } of renamed) {
    const { renameResource } = await import('./rename')
    const isKept = options.keep === undefined ? {} : { keep: options.keep }
    await renameResource(root, { name: `${options.name}.${from}`, to, labels: {}, ...isKept }, say)
  }
  if (renamed.length > 0) await migrateResource(root, options, say)
}
