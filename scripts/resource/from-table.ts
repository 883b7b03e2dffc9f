import type { FieldType } from '@/resource/fields/kind-interface'
import { kindOf } from '@/resource/fields/kinds'
import { refusesDeletion, targetOf } from '@/resource/fields/related-field'
import type { Described, Rules } from '@/resource/fields/script-interface'
import { sqlKinds } from '@/resource/fields/scripts'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { fieldNameProblem, resourceNameProblem } from '@/resource/language/inspect/reserved'
import { tableOf } from '@/resource/language/naming'
import type { Catalog, CatalogColumn, CatalogTable } from '../../supabase/embedded/catalog'
import { StartError } from '../../supabase/embedded/start-error'
import { addResourcePolicies } from '../resource-policies'
import { NOT_SEARCHED } from './check-columns'
import { openView } from './check-database'
import { definitionText } from './definition-text'
import { columnOf } from './migration/columns'
import { columnDifferences, decimalsOf, deleteRuleOf, hasIndex, rulesOfColumn } from './migration/compare'
import { GIVEN } from './migration/plan'
import { hasTrash, TRASH_NAMES } from './migration/trash'
import { unknownName } from './names'
import { applyToRunning, liveCatalog, refreshRunning, tellApplied } from './running'
import { migratedCatalog } from './scratch'
import { Stroke } from './stroke'
import { definitionsOf, readDefinitions, writeFill } from './tree'
import { readWords, writeWords } from './word-files'
import { fillWords, tellUntranslated } from './words-of'

/** The kinds that fit the column, in order of preference: specific kinds first. */
function kindsOfColumn(
  column: CatalogColumn,
  target: string | undefined,
  rules: Rules,
): [FieldType, Described][] {
  const asked = ({ target, hasValues, name, minLength }: Described) =>
    Number(target !== undefined) * 8 +
    Number(hasValues === true) * 4 +
    Number(name !== undefined) * 2 +
    Number(minLength !== undefined)
  const fits = ({ types, ...asks }: Described) =>
    (types.includes(column.type) || (asks.hasValues && column.values)) &&
    (asks.target === undefined || asks.target === target) &&
    (!asks.hasValues || rules.values !== undefined) &&
    (asks.name?.test(column.name) ?? true) &&
    (asks.minLength === undefined || (rules.maxLength ?? 0) > asks.minLength)
  return sqlKinds()
    .flatMap(([type, { describes }]): [FieldType, Described][] =>
      describes && fits(describes) ? [[type, describes]] : [],
    )
    .sort(([, a], [, b]) => asked(b) - asked(a))
}

function shapeOf(
  table: CatalogTable,
  column: CatalogColumn,
  byTable: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const { name } = column
  const key = table.keys.find(
    ({ columns }) => columns.includes(name) && (name !== 'company_id' || columns.length === 1),
  )
  const rules = rulesOfColumn(table, column)
  const decimals = decimalsOf(column.sqlType) ?? 0
  const shapes = kindsOfColumn(column, key?.target, rules).map(([type, described]) => ({
    described,
    field: { type, ...described.options?.({ rules, decimals }) },
  }))
  // A rule that only the name of a column promises has to be enforced by the database too.
  const isHeld = ({ field }: (typeof shapes)[number]) => {
    const place = { table, column, isGenerated: false }
    const plan = columnOf(name, field as Field)
    return columnDifferences(plan, field as Field, place, true).every(({ part }) => part !== 'rules')
  }
  const shape = shapes.find(isHeld) ?? shapes[0]
  const to = key && byTable.get(key.target)
  if (to && !shape?.described.target) return { type: 'relation', to, filter: true }
  if (!shape) return { type: 'computed' }
  const isSearched = kindOf(shape.field.type).filter === 'contains' && NOT_SEARCHED.has(column.type)
  return { ...shape.field, ...(isSearched ? { filter: false } : {}) }
}

function plainDefault(column: CatalogColumn): unknown {
  const text = column.expression?.replace(/::[\w ]+(\[\])?$/, '').replace(/^\((.*)\)$/, '$1')
  if (text === undefined || column.isGenerated) return undefined
  if (text === 'now()' || /^current_date$/i.test(text)) return '$now'
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return /^'[^']*'$/.test(text) && !/^(_|json)/.test(column.type) ? text.slice(1, -1) : undefined
}

function fieldOf(
  table: CatalogTable,
  column: CatalogColumn,
  byTable: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const { name } = column
  const isCounted = column.isGenerated || /^nextval\(/.test(column.expression ?? '')
  // The console leaves these to the database, whoever may write them.
  const isGiven = GIVEN.includes(name)
  const isWritten = (column.canInsert || column.canUpdate) && !isCounted && !table.isView && !isGiven
  const shape = shapeOf(table, column, byTable)
  const start = plainDefault(column)
  if (start !== undefined && isWritten && shape.type !== 'computed') shape.default = start
  if (column.isRequired && isWritten && column.expression === null) shape.required = true
  if (!isWritten) shape.readonly = true
  else if (column.canInsert && !column.canUpdate && name !== 'company_id') shape.once = true
  if (name === 'company_id') return { type: 'relation', to: 'companies', readonly: true }
  const key = table.keys.find(({ columns }) => columns.includes(name))
  if (shape.type === 'relation' && key) {
    const rule = deleteRuleOf(key)
    if (rule === 'cascade') shape.on_delete = rule
    else if (rule === 'refuse' && !refusesDeletion(shape as unknown as Field)) shape.on_delete = 'restrict'
    else if (rule === 'set null' && refusesDeletion(shape as unknown as Field)) shape.on_delete = 'set_null'
  }

  const isTenant = table.columns.some((each) => each.name === 'company_id')
  const ordered = (by: string) => hasIndex(table, isTenant ? ['company_id', by, 'id'] : [by, 'id'])
  // Every list can filter by it; only a filter that is always shown needs an index.
  if (shape.filter === true && !hasIndex(table, isTenant ? ['company_id', name] : [name])) delete shape.filter
  const sortKey = `${name}_key`
  if (ordered(sortKey)) shape.sort = sortKey
  else if (ordered(name)) shape.sort = true
  const search = table.columns.find((each) => each.name === 'search')?.expression
  if (search && new RegExp(`\\b${name}\\b`).test(search)) shape.search = true
  return shape
}

/** Columns whose text is made to tell records apart. */
const NAMING = /(^|_)(name|title|subject|serial|number|code|label|hostname|email)$/

/** A definition that describes a table as it is. Generated columns that only serve order and search stay out. */
export function describeTable(
  table: CatalogTable,
  byTable: ReadonlyMap<string, string>,
  functions: readonly string[],
): Definition {
  const serves = (column: CatalogColumn) =>
    column.isGenerated &&
    (column.name === 'search' ||
      (column.name.endsWith('_key') && table.columns.some((each) => `${each.name}_key` === column.name)))
  const columns = table.columns.filter(
    (column) =>
      !serves(column) && !['id', 'version', ...(hasTrash(table) ? TRASH_NAMES : [])].includes(column.name),
  )
  const last = (column: CatalogColumn) => Number(GIVEN.includes(column.name) && column.name !== 'company_id')
  const described = columns
    .sort((a, b) => last(a) - last(b))
    .map((column) => [column.name, fieldOf(table, column, byTable)] as const)
  const has = (name: string) => table.columns.some((column) => column.name === name)
  const canWrite = described.some(([, field]) => !field.readonly)
  const written = columns.filter(({ name }) => !GIVEN.includes(name))
  const isSearchable = functions.includes(`search_${table.name}`)
  for (const [, field] of described) if (!isSearchable) delete field.search
  const isKey = ([name]: (typeof described)[number]) =>
    table.columns.some((column) => column.name === name && column.type === 'uuid')
  const named = described.find((each) => kindOf(each[1].type as FieldType).isTitle && !isKey(each))
  // Where nothing names a record by itself, the record that it points at does. Its company names none.
  const pointing = described.find(
    ([name, field]) => name !== 'company_id' && targetOf(field as unknown as Field) !== null,
  )
  // A view of loans is one of items that are out, not one of their conditions.
  const names = named && (!table.isView || NAMING.test(named[0]))
  const title = (names ? named : (pointing ?? named))?.[0]
  const hasRelation = described.some(([, field]) => targetOf(field as unknown as Field) !== null)
  const sort = described.find(([, field]) => field.sort)?.[0]
  return {
    $schema: './resource.schema.json',
    name: table.name,
    ...(title ? { title: `{${title}}` } : {}),
    ...(table.isView && hasRelation ? { view: true } : {}),
    ...(has('company_id') ? {} : { tenant: false }),
    ...(table.columns.some(({ name, type }) => name === 'version' && type === 'int4') && !table.isView
      ? {}
      : { lock: false }),
    // No trigger of a view announces its changes.
    ...(table.isView ? { live: false } : {}),
    ...(hasTrash(table) ? { trash: true } : {}),
    fields: Object.fromEntries(described),
    ...(sort ? { list: { sort: sort === 'created_at' ? '-created_at' : sort } } : {}),
    ...(canWrite ? {} : { form: false }),
    ...(canWrite && !written.some(({ canInsert }) => canInsert) ? { create: false } : {}),
    ...(canWrite && !written.some(({ canUpdate }) => canUpdate) ? { edit: false } : {}),
    ...(canWrite && table.canDelete ? {} : { delete: false }),
  } as unknown as Definition
}

/** @throws StartError for names that would need quotes in every statement, or that the console keeps for itself. */
export function refuseNames(table: CatalogTable): void {
  const moments = table.columns.filter(
    ({ name, type }) => ['created_at', 'updated_at'].includes(name) && type !== 'timestamptz',
  )
  const kept = ['search', ...GIVEN]
  const kind = table.isView ? 'view' : 'table'
  const wrong = table.columns.flatMap(({ name }) => {
    const problem = kept.includes(name) ? null : fieldNameProblem(name, { isNew: false })
    if (!problem) return []
    const near = /`(\w+)`/.exec(problem.hint ?? '')?.[1] ?? `${table.name.replace(/s$/, '')}_${name}`
    return `${problem.message}\n    Write in a migration: alter ${kind} public."${table.name}" rename column "${name}" to ${near};`
  })
  for (const { name, sqlType } of moments)
    wrong.push(
      `\`${name}\` is when the database wrote a row, a \`timestamptz\`, and here it is \`${sqlType}\`\n    Write in a migration: alter ${kind} public."${table.name}" rename column "${name}" to ${name.replace(/_at$/, '_on')};`,
    )
  const bad = resourceNameProblem(table.name)
  const near = /`(\w+)`/.exec(bad?.hint ?? '')?.[1]
  if (bad)
    wrong.push(
      `${bad.message}\n    Write in a migration: alter ${table.isView ? 'view' : 'table'} public."${table.name}" rename to ${near ?? '…'};`,
    )
  if (!table.columns.some(({ name }) => name === 'id'))
    wrong.push(
      `\`${table.name}\` has no column \`id\`, by which records are opened\n    Give it one in a migration.`,
    )
  if (wrong.length > 0) throw new StartError(wrong.join('\n'))
}

/** The table as the live database has it, or as a migration that it does not have yet makes it. */
async function findTable(
  root: string,
  name: string,
  say: (line: string) => void,
): Promise<{ catalog: Catalog; table: CatalogTable }> {
  const live = await liveCatalog(root)
  const inCatalog = (catalog: Catalog | null) => catalog?.tables.find((each) => each.name === name)
  const found = inCatalog(live)
  if (live && found) return { catalog: live, table: found }
  const catalog = await migratedCatalog(root)
  const table = inCatalog(catalog)
  if (!table) {
    const names = catalog.tables.map((each) => each.name)
    const { message, hint } = unknownName('table', name, names)
    throw new StartError(`${message}${hint ? `\n    ${hint}` : ''}`)
  }
  if (live) say(`The migration that makes \`${name}\` is pending on the running console; it is applied now.`)
  return { catalog, table }
}

/** Writes the definition of a table that exists in the database of the data directory, with words and permission lines. */
export async function fromTable(root: string, name: string, say: (line: string) => void): Promise<void> {
  const definitions = definitionsOf(readDefinitions(root))
  const known = definitions.find((each) => each.name === name || tableOf(each) === name)
  if (known) throw new StartError(`resources/${known.name}.json describes the table \`${name}\` already.`)
  const texts = readWords(root)
  const { catalog, table } = await findTable(root, name, say)
  const open = openView(table)
  if (open) throw new StartError(`${open.message}\n    ${open.hint}`)
  refuseNames(table)
  const byTable = new Map(definitions.map((each) => [tableOf(each), each.name]))
  const definition = describeTable(table, byTable, catalog.functions)
  const words = fillWords(definition, texts)
  const stroke = new Stroke(root)
  let applied: string[] | null
  try {
    const isPlatform = definition.tenant === false
    const lines = addResourcePolicies(root, name, {
      isPlatform,
      isReadOnly: definition.form === false,
      write: (file, text) => stroke.write(file, text),
    })
    if (lines.length > 0) writeFill(root, stroke, new Date())
    applied = await stroke.apply(applyToRunning, () => {
      writeWords(stroke, texts, words.words)
      stroke.write(`resources/${name}.json`, definitionText(definition as unknown as Record<string, unknown>))
    })
  } catch (error) {
    stroke.undo(error)
    throw error
  }
  for (const line of stroke.told()) say(line)
  for (const line of tellUntranslated(words)) say(line)
  if (!table.hasRowSecurity && !table.isView)
    say(`\`${name}\` has no row-level security: write its policies before anybody uses it.`)
  say(tellApplied(applied, await refreshRunning()))
}
