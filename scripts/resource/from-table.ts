import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import type { Described, Rules } from '@/resource/fields/field-sql'
import type { FieldType } from '@/resource/fields/kind'
import { kindOf } from '@/resource/fields/kinds'
import { sqlKinds } from '@/resource/fields/sql-of'
import type { CatalogColumn, CatalogTable } from '../../supabase/embedded/catalog'
import { StartError } from '../../supabase/embedded/start-error'
import { addResourcePolicies } from '../resource-policies'
import { openView } from './check-database'
import { readWords } from './check-words'
import { definitionText } from './definition-text'
import { hasIndex } from './migration/compare'
import { GIVEN } from './migration/plan'
import { rulesFromChecks } from './migration/rules'
import { unknownName } from './names'
import { applyToRunning, liveCatalog, refreshRunning, tellApplied } from './running'
import { migratedCatalog } from './scratch'
import { Stroke } from './stroke'
import { definitionsOf, readDefinitions, writeFill } from './tree'
import { fillWords, tellUntranslated, writeWords } from './words-of'

/** The most specific kind that fits the column. */
function kindOfColumn(
  column: CatalogColumn,
  target: string | undefined,
  rules: Rules,
): [FieldType, Described] | undefined {
  const asked = ({ target, hasValues, name, minLength }: Described) =>
    Number(target !== undefined) * 8 +
    Number(hasValues === true) * 4 +
    Number(name !== undefined) * 2 +
    Number(minLength !== undefined)
  const fits = ({ types, ...asks }: Described) =>
    types.includes(column.type) &&
    (asks.target === undefined || asks.target === target) &&
    (!asks.hasValues || rules.values !== undefined) &&
    (asks.name?.test(column.name) ?? true) &&
    (asks.minLength === undefined || (rules.maxLength ?? 0) > asks.minLength)
  return sqlKinds()
    .flatMap(([type, { describes }]): [FieldType, Described][] =>
      describes && fits(describes) ? [[type, describes]] : [],
    )
    .sort(([, a], [, b]) => asked(b) - asked(a))[0]
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
  const checks = table.checks.filter(({ columns }) => columns.length === 1 && columns[0] === name)
  const rules = rulesFromChecks(
    name,
    checks.map(({ definition }) => definition),
  )
  const [type, described] = kindOfColumn(column, key?.target, rules) ?? ['computed' as const]
  const to = key && byTable.get(key.target)
  if (to && !described?.target) return { type: 'relation', to, filter: true }
  const decimals = Number(/,(\d+)\)/.exec(column.sqlType)?.[1] ?? 0)
  return { type, ...described?.options?.({ rules, decimals }) }
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
  const isWritten = column.canInsert || column.canUpdate
  const shape = shapeOf(table, column, byTable)
  const start = plainDefault(column)
  if (start !== undefined && isWritten && shape.type !== 'computed') shape.default = start
  if (column.isRequired && isWritten && column.expression === null) shape.required = true
  if (!isWritten || column.isGenerated) shape.readonly = true
  else if (column.canInsert && !column.canUpdate && name !== 'company_id') shape.once = true
  if (name === 'company_id') return { type: 'relation', to: 'companies', readonly: true }

  const isTenant = table.columns.some((each) => each.name === 'company_id')
  const ordered = (by: string) => hasIndex(table, isTenant ? ['company_id', by, 'id'] : [by, 'id'])
  const key = `${name}_key`
  if (ordered(key)) shape.sort = key
  else if (ordered(name)) shape.sort = true
  const search = table.columns.find((each) => each.name === 'search')?.expression
  if (search && new RegExp(`\\b${name}\\b`).test(search)) shape.search = true
  return shape
}

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
    (column) => !serves(column) && !['id', 'version'].includes(column.name),
  )
  const last = (column: CatalogColumn) => Number(GIVEN.includes(column.name) && column.name !== 'company_id')
  const described = columns
    .sort((a, b) => last(a) - last(b))
    .map((column) => [column.name, fieldOf(table, column, byTable)] as const)
  const has = (name: string) => table.columns.some((column) => column.name === name)
  const canWrite = described.some(([, field]) => !field.readonly)
  const isSearchable = functions.includes(`search_${table.name}`)
  for (const [, field] of described) if (!isSearchable) delete field.search
  const title = described.find(([, field]) => kindOf(field.type as FieldType).isTitle)?.[0]
  const sort = described.find(([, field]) => field.sort)?.[0]
  return {
    $schema: './resource.schema.json',
    name: table.name,
    ...(title ? { title: `{${title}}` } : {}),
    ...(has('company_id') ? {} : { tenant: false }),
    ...(has('version') || !canWrite ? {} : { lock: false }),
    fields: Object.fromEntries(described),
    ...(sort ? { list: { sort: sort === 'created_at' ? '-created_at' : sort } } : {}),
    ...(canWrite ? {} : { form: false, delete: false }),
  } as unknown as Definition
}

/** Writes the definition of a table that exists in the database of the data directory, with words and permission lines. */
export async function fromTable(root: string, name: string, say: (line: string) => void): Promise<void> {
  const definitions = definitionsOf(readDefinitions(root))
  const known = definitions.find((each) => each.name === name || tableOf(each) === name)
  if (known) throw new StartError(`resources/${known.name}.json describes the table \`${name}\` already.`)
  const catalog = (await liveCatalog(root)) ?? (await migratedCatalog(root))
  const table = catalog.tables.find((each) => each.name === name)
  if (!table) {
    const { message, hint } = unknownName(
      'table',
      name,
      catalog.tables.map((each) => each.name),
    )
    throw new StartError(`${message}${hint ? `\n    ${hint}` : ''}`)
  }
  const open = openView(table)
  if (open) throw new StartError(`${open.message}\n    ${open.hint}`)
  const byTable = new Map(definitions.map((each) => [tableOf(each), each.name]))
  const definition = describeTable(table, byTable, catalog.functions)
  const words = fillWords(definition, readWords(root))
  const stroke = new Stroke(root)
  let applied: string[] | null
  try {
    const isPlatform = definition.tenant === false
    const lines = addResourcePolicies(root, name, { isPlatform, beforeWrite: (file) => stroke.keep(file) })
    if (lines.length > 0) writeFill(root, stroke, new Date())
    applied = await applyToRunning()
    writeWords(words, stroke)
    stroke.write(`resources/${name}.json`, definitionText(definition as unknown as Record<string, unknown>))
  } catch (error) {
    stroke.undo()
    throw error
  }
  for (const path of stroke.written()) say(`wrote ${path}`)
  for (const line of tellUntranslated(words)) say(line)
  if (!table.hasRowSecurity && !table.isView)
    say(`\`${name}\` has no row-level security: write its policies before anybody uses it.`)
  say(tellApplied(applied, await refreshRunning()))
}
