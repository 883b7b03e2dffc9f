import { commentsOf } from '@/resource/language/comments'
import type { Definition } from '@/resource/language/definition.generated'
import { hiddenTable } from '@/resource/language/embed-keys'
import { listPath, tableOf } from '@/resource/language/naming'
import type { Catalog } from '../../supabase/embedded/catalog'
import { StartError } from '../../supabase/embedded/start-error'
import { parseLines } from '../policies/lines'
import type { Model } from '../schema/objects'
import { confirmDeletion } from './ask'
import { definitionText } from './definition-text'
import { listed, mentionsInCode, mentionsInDefinitions, quoted } from './mentions'
import { removeBounds } from './migration/bounds'
import { planTable } from './migration/plan'
import { rowRuleFunctions } from './migration/row-rules'
import { literal, named } from './migration/sql'
import { refuse, unknownName } from './names'
import { tryOut } from './new'
import { readSchemas } from './rename/from-schemas'
import { type Removed, readRemoved, removedFile } from './restore'
import { applyToRunning, liveRowCount, refreshRunning, tellApplied } from './running'
import { openScratch } from './scratch'
import { Stroke } from './stroke'
import { accessOf } from './table-grants'
import {
  changePolicies,
  definitionsOf,
  isGenerated,
  readDefinitions,
  writeFill,
  writeMigration,
  writeTypes,
} from './tree'
import { readWords, writeWords } from './word-files'

export interface RemoveOptions {
  name: string
  /** Deletes the table with its rows, too. */
  drop?: boolean
  yes?: boolean
  /** Leaves a running console as it is. */
  keep?: boolean
}

/** The table and the tables between that belong to nobody else. */
function ownTables(definition: Definition, others: readonly Definition[]): string[] {
  const named = (table: string) =>
    others.some(
      (each) =>
        tableOf(each) === table ||
        Object.values(each.fields).some((field) => field.type === 'many-to-many' && field.through === table),
    )
  const joins = Object.values(definition.fields).flatMap((field) =>
    field.type === 'many-to-many' ? [field.through] : [],
  )
  const comments = commentsOf(definition)?.table
  const hidden = Object.entries(definition.fields).flatMap(([name, { guard }]) =>
    guard?.read ? [hiddenTable(tableOf(definition), name)] : [],
  )
  return [...new Set([...joins, ...hidden, ...(comments ? [comments] : []), tableOf(definition)])].filter(
    (table) => !named(table),
  )
}

/** @throws StartError when tables that stay point at one that goes. */
function dropSql(name: string, tables: readonly string[], catalog: Catalog): string[] {
  const held = catalog.tables
    .filter((table) => !tables.includes(table.name))
    .flatMap((table) =>
      table.keys
        .filter(({ target }) => tables.includes(target))
        .map(({ columns, target }) => `${table.name} (${columns.join(', ')}) points at ${target}`),
    )
  if (held.length > 0)
    throw new StartError(
      `Other tables point at \`${name}\`:${listed(held)}\nNothing was removed. Take those fields out of their definitions and run \`npm run resource migrate <resource> -- --drop\`, or drop the columns in a migration of your own.`,
    )
  return [
    ...tables
      .filter((table) => catalog.functions.includes(`search_${table}`))
      .map((table) => `drop function public.search_${table}(text);`),
    ...tables.flatMap((table) =>
      tables
        .filter((side) => side.startsWith(hiddenTable(table, '')))
        .map((side) => side.slice(hiddenTable(table, '').length))
        .flatMap((field) => [
          `drop function if exists public.hidden_${field}_key(public.${table});`,
          `drop function public.hidden_${field}(public.${table});`,
        ]),
    ),
    ...tables.flatMap((table) => [
      `delete from public.files where resource = ${literal(table)};`,
      `delete from app.file_fields where resource = ${literal(table)};`,
    ]),
    `delete from app.commented where resource = ${literal(name)};`,
    ...tables
      .filter((table) => `${table}_covers` in catalog.triggerSources)
      .flatMap((table) => [
        ...['select', 'insert', 'update', 'delete'].map(
          (command) => `drop policy ${named(table, command, 'rules')} on public.${table};`,
        ),
        `drop function app.${table}_covers(public.${table}, text);`,
      ]),
    ...tables.map((table) => {
      const isView = catalog.tables.find((each) => each.name === table)?.isView
      return `drop ${isView ? 'view' : 'table'} public.${table};`
    }),
    ...tables
      .flatMap((table) => [`guard_${table}`, `check_people_of_${table}`, named('check_bounds_of', table)])
      .filter((trigger) => trigger in catalog.triggerSources)
      .map((trigger) => `drop function app.${trigger}();`),
    ...tables
      .flatMap((table) => rowRuleFunctions(table, catalog.triggerSources))
      .map((name) => `drop function app.${name}();`),
    ...['public.saved_views', 'public.list_preferences', 'app.bulk_change'].map(
      (table) => `delete from ${table} where resource = ${literal(name)};`,
    ),
  ]
}

/** A policy as the schemas write it, so that it reads the same once it is taken back. */
function asWritten(statement: string, schemas: Model | null): string {
  const [, name, table] = /^create policy "?(\w+)"? on (\S+) /.exec(statement) ?? []
  const text = schemas?.get(`policy ${name} on ${table}`)?.text
  return text === undefined ? statement : `${text};`
}

async function confirmDrop(root: string, { name, yes }: RemoveOptions, table: string): Promise<void> {
  if (yes) return
  const rows = await liveRowCount(root, table)
  const many = rows === null ? 'all rows' : `${rows} ${rows === 1 ? 'row' : 'rows'}`
  await confirmDeletion(`${many} of \`${name}\``)
}

/** Takes a resource out of the console: screens, texts, permission lines and access by the API; its rows stay without `drop`. */
export async function removeResource(
  root: string,
  options: RemoveOptions,
  say: (line: string) => void,
): Promise<void> {
  const { name, drop } = options
  const files = readDefinitions(root)
  const definitions = definitionsOf(files)
  const names = definitions.map((each) => each.name)
  const described = definitions.find((each) => each.name === name)
  const removed = readRemoved(root, name)
  // A file deleted by hand left its table, which `check` reports.
  const isOrphan = !described && !removed && isGenerated(root, name)
  if (!described && !(removed && drop) && !isOrphan) {
    if (removed)
      throw new StartError(`\`${name}\` is removed already. --drop deletes its table with all rows.`)
    refuse(unknownName('resource', name, names))
  }
  const definition =
    described ?? (removed?.definition as Definition | undefined) ?? ({ name, fields: {} } as Definition)
  const others = definitions.filter((each) => each.name !== name)
  const tables = ownTables(definition, others)
  const place = { name, tables, path: listPath(definition) }
  const mentions = mentionsInDefinitions(files, place)
  if (mentions.length > 0)
    throw new StartError(
      `Other definitions name \`${name}\`:${listed(mentions)}\nNothing was removed. Take these out first, then run the command again.`,
    )
  const code = described ? mentionsInCode(root, quoted(name, place.path)) : []
  if (code.length > 0 && !options.yes)
    throw new StartError(
      `Code still refers to \`${name}\`, which would no longer exist:${listed(code)}\nNothing was removed. Change the code with it, and add --yes.`,
    )

  const texts = readWords(root)
  if (drop) await confirmDrop(root, options, tableOf(definition))
  const scratch = await openScratch(root)
  try {
    const present = tables.filter((table) => scratch.catalog.tables.some((each) => each.name === table))
    if (isOrphan && present.length === 0) refuse(unknownName('resource', name, names))
    const { open, close } = await accessOf(scratch.query, present)
    const schemas = drop ? null : await readSchemas(root)
    const find = (wanted: string) => definitions.find((each) => each.name === wanted) ?? null
    const bounds = removeBounds(planTable(definition, find), scratch.catalog.triggerSources)
    const statements = [...bounds.close, ...(drop ? dropSql(name, present, scratch.catalog) : close)]
    const sql = `-- Removes ${name} from the console${drop ? ', with all its rows' : '. Its rows stay, out of reach of the API'}.\n\n${statements.join('\n')}\n`
    if (statements.length > 0) await tryOut(scratch, sql)

    const kept: Removed = {
      definition: definition as unknown as Record<string, unknown>,
      words: { en: texts.en[name], tr: texts.tr[name] },
      lines: {},
      access: [...open.map((statement) => asWritten(statement, schemas)), ...bounds.open],
    }
    const without = (all: Record<string, unknown>) => ({ ...all, [name]: undefined })
    const stroke = new Stroke(root)
    let [applied, byHand]: [string[] | null, string[]] = [null, []]
    try {
      const now = new Date()
      if (statements.length > 0)
        byHand = await writeMigration(root, stroke, { name: `${drop ? 'drop' : 'remove'}_${name}`, sql, now })
      const kinds = Object.values(commentsOf(definition)?.kinds ?? {})
      const objects = new Set([name, ...kinds.flatMap(({ object }) => object ?? [])])
      changePolicies(root, stroke, (csv, file) => {
        const own = new Set(
          parseLines(file, csv)
            .filter(({ cells }) => cells[0] === 'p' && objects.has(cells[2] ?? ''))
            .map(({ line }) => line),
        )
        const rows = csv.split('\n')
        if (own.size > 0) kept.lines[file] = rows.filter((_row, index) => own.has(index + 1))
        return own.size === 0
          ? csv
          : rows
              .filter((_row, index) => !own.has(index + 1))
              .join('\n')
              .replace(/\n{3,}/g, '\n\n')
              .replace(/\n+$/, '\n')
      })
      writeFill(root, stroke, now)
      await writeTypes(root, stroke, scratch.query)
      applied = await stroke.apply(
        async () => (options.keep ? null : applyToRunning()),
        () => {
          if (described) stroke.remove(`resources/${name}.json`)
          if (drop) stroke.remove(removedFile(name))
          else if (described) stroke.write(removedFile(name), definitionText({ ...kept }))
          writeWords(stroke, texts, { en: without(texts.en), tr: without(texts.tr) })
        },
      )
    } catch (error) {
      stroke.undo(error)
      throw error
    }
    for (const line of [...stroke.told(), ...byHand]) say(line)
    if (!drop && described)
      say(
        present.length === 0
          ? `Its table stays as it is: other definitions describe it. \`npm run resource restore ${name}\` takes the resource back.`
          : `Its rows stay in the table \`${tableOf(definition)}\`, which the API no longer serves. \`npm run resource restore ${name}\` takes it back; \`npm run resource remove ${name} -- --drop\` deletes the rows.`,
      )
    if (options.keep) say('The running console was left as it is (--keep).')
    else say(tellApplied(applied, await refreshRunning()))
  } finally {
    await scratch.stop()
  }
}
