import { kindOf } from '@/resource/fields/kinds'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { CHOICE } from '@/resource/language/inspect/board'
import { DAY } from '@/resource/language/inspect/list'
import { inspectSource } from '@/resource/language/inspect/problems'
import { resourceNameProblem } from '@/resource/language/inspect/reserved'
import { listPath, singularOf } from '@/resource/language/naming'
import { isDatabaseError } from '../../supabase/embedded/database/errors.mjs'
import { StartError } from '../../supabase/embedded/start-error'
import { readPolicies } from '../policies/lines'
import { addCommentPolicies, addResourcePolicies } from '../resource-policies'
import { tellRelations } from './check-relations'
import { explainDatabaseError } from './database-error'
import { definitionText } from './definition-text'
import { FieldArgumentError, parseFieldArgument } from './field-spec'
import { planComments, renderComments } from './migration/comments'
import { renderCreate } from './migration/create'
import { planTable } from './migration/plan'
import { refuse, takenProblem } from './names'
import { readPages } from './pages'
import { applyToRunning, refreshRunning, tellApplied } from './running'
import { openScratch, type Scratch } from './scratch'
import { Stroke } from './stroke'
import { definitionsOf, readDefinitions, writeFill, writeMigration, writeTypes } from './tree'
import { readWords, writeWords } from './word-files'
import { fillWords, humanize, labelsOf, tellUntranslated } from './words-of'

export interface NewOptions {
  name: string
  fields: readonly string[]
  label?: string
  labelTr?: string
  icon?: string
  group?: string
  route?: string
  singular?: string
  /** Layouts beside the table, separated by commas. */
  layouts?: string
  /** The field that names whose a record is: the row rule `own`. */
  own?: string
  comments?: boolean
  attachments?: boolean
  /** The resource belongs to the platform, not to a company. */
  platform?: boolean
  pro?: boolean
  /** Deleted records stay for 30 days. */
  trash?: boolean
  /** Leaves a running console as it is. */
  keep?: boolean
}

function titleField(fields: Record<string, Field>): string | undefined {
  return Object.entries(fields).find(([, field]) => kindOf(field.type).isTitle)?.[0]
}

/** Fields as given, with what makes a list usable: an order for people, and when a record was made and changed. */
function completeFields(fields: Record<string, Field>, isTenant: boolean): Record<string, Field> {
  const first = titleField(fields)
  const completed = Object.entries(fields).map(([name, field]): [string, Field] => {
    if (name === first) return [name, { ...field, sort: `${name}_key` }]
    return kindOf(field.type).isSortable ? [name, { ...field, sort: true }] : [name, field]
  })
  return {
    ...Object.fromEntries(completed),
    ...(isTenant ? { company_id: { type: 'relation', to: 'companies', readonly: true } } : {}),
    created_at: { type: 'datetime', readonly: true, sort: true, filter: true },
    updated_at: { type: 'datetime', readonly: true, relative: true },
  }
}

const firstOf = (fields: Record<string, Field>, fits: (field: Field) => boolean): string | undefined =>
  Object.entries(fields).find(([, field]) => fits(field))?.[0]

/** The list with the layouts that were asked for, over the first fields that fit. @throws StartError without one */
function listWith(layouts: string, fields: Record<string, Field>): Record<string, unknown> {
  const asked = layouts.split(',').map((each) => each.trim())
  const unknown = asked.find((each) => !['table', 'board', 'calendar', 'dashboard'].includes(each))
  if (unknown !== undefined)
    throw new StartError(`There is no layout \`${unknown}\`.\n    Write --layouts board,calendar,dashboard.`)
  const [choice, day] = [firstOf(fields, CHOICE.fits), firstOf(fields, DAY.fits)]
  if (asked.includes('board') && !choice)
    throw new StartError('A board has a column for each value of a choice, and no field is one.')
  if (asked.includes('calendar') && !day)
    throw new StartError('A calendar shows records on their day, and no field is a date.')
  const by = choice ?? 'created_at'
  return {
    layouts: [...new Set(['table', ...asked])],
    ...(asked.includes('board') ? { board: { by: choice } } : {}),
    ...(asked.includes('calendar') ? { calendar: { from: day } } : {}),
    ...(asked.includes('dashboard')
      ? {
          dashboard: {
            [by === 'created_at' ? 'by_week' : `by_${by}`]:
              by === 'created_at' ? { show: 'series', by, every: 'week' } : { show: 'top', by },
          },
        }
      : {}),
  }
}

export function buildDefinition(options: NewOptions, resources: readonly string[]): Definition {
  const { name, icon, group, route, platform, pro, own, layouts, trash } = options
  const singular = options.singular ?? singularOf({ name })
  const fields: Record<string, Field> = {}
  for (const argument of options.fields) {
    const [field, value] = parseFieldArgument(argument, { resources, resource: name, singular })
    if (field in fields)
      throw new FieldArgumentError(`\`${argument}\`: there is a field \`${field}\` already`)
    fields[field] = value
  }
  const first = titleField(fields)
  return {
    $schema: './resource.schema.json',
    name,
    ...(options.singular ? { singular } : {}),
    ...(route ? { route } : {}),
    ...(icon ? { icon } : {}),
    ...(group ? { group } : {}),
    ...(first ? { title: `{${first}}` } : {}),
    ...(platform ? { tenant: false, live: false } : {}),
    ...(pro ? { requires: 'pro' } : {}),
    ...(own ? { rules: { own: { [own]: { _eq: '$user' } } } } : {}),
    ...(options.comments ? { comments: true } : {}),
    ...(options.attachments ? { attachments: true } : {}),
    ...(trash ? { trash: true } : {}),
    fields: completeFields(fields, !platform),
    list: { ...(layouts ? listWith(layouts, fields) : {}), sort: first ?? '-created_at' },
  } as Definition
}

/** Tries the migration on the migrated database before any file is written. */
export async function tryOut(scratch: Scratch, sql: string): Promise<void> {
  try {
    await scratch.run(sql)
  } catch (error) {
    if (!isDatabaseError(error)) throw error
    throw new StartError(
      `The database refuses the migration, so nothing was written. ${explainDatabaseError(error)}`,
    )
  }
}

/** Writes definition, migration, permission lines and words of a new resource; all of it, or nothing. */
export async function newResource(
  root: string,
  options: NewOptions,
  say: (line: string) => void,
): Promise<void> {
  const bad = resourceNameProblem(options.name)
  if (bad) refuse(bad)
  const files = readDefinitions(root)
  const definitions = definitionsOf(files)
  const names = definitions.map(({ name }) => name)
  let definition: Definition
  try {
    definition = buildDefinition(options, names)
  } catch (error) {
    if (error instanceof FieldArgumentError || error instanceof SyntaxError)
      throw new StartError(error.message)
    throw error
  }
  const text = definitionText(definition as unknown as Record<string, unknown>)
  const find = (name: string) =>
    name === definition.name ? definition : (definitions.find((each) => each.name === name) ?? null)
  const [problem] = inspectSource(`resources/${definition.name}.json`, text, {
    find,
    names: [...names, definition.name],
  })
  if (problem) refuse(problem)

  const texts = readWords(root)
  const scratch = await openScratch(root)
  try {
    const tables = scratch.catalog.tables.map(({ name }) => name)
    const taken = takenProblem(definition, {
      definitions,
      tables,
      paths: readPages(root).flatMap(({ values }) => values.path ?? []),
    })
    if (taken) refuse(taken)
    const plan = planTable(definition, find)
    const labels = labelsOf(options)
    const many = labels.en?.[1] ?? humanize(definition.name)
    const thread = planComments(definition)
    const created = renderCreate(
      plan,
      `${many}${plan.isTenant ? ' of a company' : ', the same for every company'}.`,
    )
    const sql = thread ? `${created}\n${renderComments(thread)}` : created
    await tryOut(scratch, sql)
    const words = fillWords(definition, texts, labels)

    const stroke = new Stroke(root)
    let [applied, byHand]: [string[] | null, string[]] = [null, []]
    try {
      const now = new Date()
      byHand = await writeMigration(root, stroke, { name: `create_${plan.table}`, sql, now })
      addResourcePolicies(root, definition.name, {
        ...(options.pro ? { needsPro: true } : {}),
        ...(options.platform ? { isPlatform: true } : {}),
        write: (file, text) => stroke.write(file, text),
      })
      addCommentPolicies(root, definition, (file, text) => stroke.write(file, text))
      writeFill(root, stroke, now)
      await writeTypes(root, stroke, scratch.query)
      applied = await stroke.apply(
        async () => (options.keep ? null : applyToRunning()),
        () => {
          writeWords(stroke, texts, words.words)
          stroke.write(`resources/${definition.name}.json`, text)
        },
      )
    } catch (error) {
      stroke.undo(error)
      throw error
    }
    for (const line of [...stroke.told(), ...byHand]) say(line)
    for (const note of [...plan.ownColumns.map((each) => each.note), ...plan.notes]) say(`Note: ${note}`)
    for (const note of tellRelations(definition, readPolicies(root))) say(note)
    for (const line of tellUntranslated(words)) say(line)
    if (options.keep) say('The running console was left as it is (--keep).')
    else say(tellApplied(applied, await refreshRunning()))
    say(
      `Its list: ${listPath(definition)}. Change resources/${definition.name}.json, then: npm run resource migrate ${definition.name}, npm run resource check`,
    )
  } finally {
    await scratch.stop()
  }
}
