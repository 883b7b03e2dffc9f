import { kindOf } from '@/resource/fields/kinds'
import type { Rules } from '@/resource/fields/script-interface'
import type { Field } from '@/resource/language/definition.generated'
import type { CatalogColumn, CatalogKey, CatalogTable } from '../../../supabase/embedded/catalog'
import type { ColumnPlan } from './columns'
import { sameDefault } from './defaults'
import { bare, holdsCondition, plain } from './expressions'
import type { DeleteRule } from './plan'
import { rulesFromChecks, rulesOf } from './rules'

/** The maximum `decimals` of a definition. A column without its own limit counts as having this many. */
export const MAX_DECIMALS = 6

/**
 * Whether an index begins with these columns, whichever way it runs. Where the first are unique, no more are needed. An index
 * that leaves out only empty values of the last one finds a reference all the same, because no comparison is true of null.
 */
export function hasIndex(table: CatalogTable, columns: readonly string[]): boolean {
  return table.indexes.some((index) => {
    const needed = index.isUnique ? columns.slice(0, index.columns.length) : columns
    const holdsAll =
      !index.isPartial || plain(index.predicate ?? '') === plain(`(${columns.at(-1)} IS NOT NULL)`)
    return holdsAll && needed.every((column, at) => bare(index.columns[at]) === column)
  })
}

/** How many decimals a type keeps; null for a type that holds no numbers. */
export function decimalsOf(sqlType: string): number | null {
  const numeric = /^numeric(?:\(\d+(?:, ?(-?\d+))?\))?$/.exec(sqlType)
  if (numeric) return sqlType === 'numeric' ? MAX_DECIMALS : Math.min(Number(numeric[1] ?? 0), MAX_DECIMALS)
  if (/^(smallint|integer|bigint)$/.test(sqlType)) return 0
  return /^(real|double precision)$/.test(sqlType) ? MAX_DECIMALS : null
}

/** Written by `constraintsOf`, for `check` and for `required` with `when`. */
export const isCrossCheck = (name: string): boolean => /_check0[12]$/.test(name)

export function ownChecks(table: CatalogTable, column: string): CatalogTable['checks'] {
  return table.checks.filter(
    ({ name, columns }) => columns.length === 1 && columns[0] === column && !isCrossCheck(name),
  )
}

/** The rules that the database enforces on a column, by its checks and by its type. */
export function rulesOfColumn(table: CatalogTable, column: CatalogColumn): Rules {
  const checks = ownChecks(table, column.name).map(({ definition }) => definition)
  const rules = rulesFromChecks(column.name, checks, decimalsOf(column.sqlType) ?? 0)
  const length = Number(/^character(?: varying)?\((\d+)\)$/.exec(column.sqlType)?.[1] ?? Infinity)
  return {
    ...rules,
    ...(length < (rules.maxLength ?? Infinity) ? { maxLength: length } : {}),
    ...(column.values && !rules.values ? { values: column.values } : {}),
  }
}

export interface Difference {
  part: 'type' | 'required' | 'default' | 'rules'
  /** The option of the field, or the field itself. */
  option?: string
  message: string
  /** The database holds more than the definition says. */
  isLooser?: true
}

const OPTION: Record<keyof Rules, string> = {
  minLength: 'required',
  maxLength: 'max_length',
  values: 'values',
  min: 'min',
  max: 'max',
  pattern: 'pattern',
}

/** The largest number of a type. */
const LARGEST: Record<string, number> = { int2: 32_767, int4: 2_147_483_647 }

const shown = (value: unknown): string =>
  Array.isArray(value) ? value.map((each) => `\`${String(each)}\``).join(', ') : `\`${String(value)}\``

function sameRule(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b)
    ? [...a].sort().join('\n') === [...b].sort().join('\n')
    : a === b
}

function ruleDifferences(
  { name, rules, formats, checks }: ColumnPlan,
  field: Field,
  { table, column, isGenerated }: Place,
): Difference[] {
  const own = ownChecks(table, name)
  const texts = own.map(({ definition }) => definition)
  const ours = own.find((check) => check.name === `${table.name}_${name}_check`)
  const isSame = plain(ours?.definition ?? '') === plain(checks.join(' and '))
  if (isGenerated && isSame && own.length === (ours ? 1 : 0)) return []
  const found = rulesOfColumn(table, column)
  const stated = rulesOf(field)
  // An expression of somebody else's may hold the rule in other words.
  const isTrusted = !isGenerated && texts.some((text) => / (~\*?|~~\*?) '/.test(text))
  const differences: Difference[] = []
  const add = (key: keyof Rules, message: string, more: Partial<Difference> = {}) =>
    differences.push({ part: 'rules', option: OPTION[key], message, ...more })
  for (const key of Object.keys(OPTION) as (keyof Rules)[]) {
    const [wanted, has] = [rules[key], found[key]]
    if (wanted === undefined) {
      if (
        has !== undefined &&
        ((isGenerated && formats.length === 0) || (key === 'maxLength' && field.type === 'text'))
      )
        add(key, `the database holds \`${name}\` to ${OPTION[key]} ${shown(has)}, the definition to none`, {
          isLooser: true,
        })
      continue
    }
    if (sameRule(wanted, has) || (key === 'max' && wanted === LARGEST[column.type])) continue
    if (has === undefined && (key === 'maxLength' || key === 'minLength') && isTrusted) continue
    if (key === 'minLength' && Number(has ?? 0) >= 1 && !isGenerated) continue
    // A table written by hand may be stricter than a rule that only the kind implies.
    if (stated[key] === undefined && has !== undefined && !isGenerated) continue
    if (key === 'minLength') add(key, `the database takes a blank \`${name}\`, which the form requires`)
    else if (has === undefined)
      add(key, `no constraint of the database holds \`${name}\` to its ${OPTION[key]}: ${shown(wanted)}`)
    else add(key, `\`${name}\` has ${OPTION[key]} ${shown(wanted)} here and ${shown(has)} in the database`)
  }
  const isText = ['text', 'varchar', 'bpchar', '_text', 'jsonb'].includes(column.type)
  // A list of words is compared word by word; what else a check written by hand says is trusted.
  const isUnheld =
    isText &&
    formats.some(
      (format) =>
        !holdsCondition(texts, format) && (isGenerated || own.length === 0 || format.includes('<@')),
    )
  if (isUnheld)
    differences.push({
      part: 'rules',
      message: `no constraint of the database holds \`${name}\` to ${formatOf(field)}`,
    })
  if (isGenerated && differences.length === 0 && !isSame)
    differences.push({
      part: 'rules',
      message: `the database holds \`${name}\` to other limits than the definition: ${ours?.definition ?? 'none'}`,
      ...(ours ? { isLooser: true } : {}),
    })
  return differences
}

const formatOf = (field: Field): string => `the form of \`${field.type}\``

function typeDifferences(
  plan: ColumnPlan,
  field: Field,
  { table, column, isGenerated }: Place,
  isWritten: boolean,
): Difference[] {
  const allowed = kindOf(field.type).columns
  // A computed value may be of any type, and one of an enum type is one of its values.
  const fits = allowed.length === 0 || allowed.includes(column.type) || (column.values && plan.rules.values)
  // A key to one of our tables is a `uuid`, as the `id` it points at.
  const isNoKey = isGenerated && plan.type === 'uuid' && column.type !== 'uuid'
  // A text field may show a `uuid`, but the rules, order and search of a text cannot be asked of one.
  const isNoText =
    plan.type === 'text' &&
    column.type === 'uuid' &&
    !table.isView &&
    (isGenerated || (isWritten && plan.checks.length > 0))
  if (!fits || isNoKey || isNoText)
    return [
      {
        part: 'type',
        option: 'type',
        message: `\`${plan.name}\` is \`${field.type}\`, but its column is \`${column.sqlType}\``,
      },
    ]
  const [wanted, has] = [decimalsOf(plan.type.replace(', ', ',')), decimalsOf(column.sqlType)]
  if (wanted !== null && has !== null && wanted !== has)
    return [
      {
        part: 'type',
        option: 'decimals',
        message:
          has < wanted
            ? `\`${plan.name}\` has ${wanted} decimals here, but its column \`${column.sqlType}\` keeps ${has}`
            : `\`${plan.name}\` has ${wanted} decimals here, but its column \`${column.sqlType}\` takes more`,
      },
    ]
  const largest = LARGEST[column.type]
  if (largest !== undefined && [plan.rules.min, plan.rules.max].some((each) => Math.abs(each ?? 0) > largest))
    return [
      {
        part: 'type',
        option: 'max',
        message: `the column \`${column.sqlType}\` of \`${plan.name}\` holds no number above ${largest}`,
      },
    ]
  return []
}

function defaultDifferences(
  { name, defaultTo }: ColumnPlan,
  field: Field,
  { column, isGenerated }: Place,
): Difference[] {
  const found = column.expression
  const isStated = Reflect.has(field, 'default')
  // The form fills in a person that it knows; a field that no form shows is filled by its column alone.
  if (defaultTo?.startsWith('app.') && !(isStated && (field.readonly || isGenerated))) return []
  // Elsewhere a default that only the form fills in, such as one of a field that is shown at times, is no mistake.
  if (!isGenerated && (field.when || !isStated)) return []
  if (defaultTo !== null)
    return sameDefault(defaultTo, found ?? '')
      ? []
      : [
          {
            part: 'default',
            option: 'default',
            message: `\`${name}\` has the default ${defaultTo} here and ${found ?? 'none'} in the database`,
          },
        ]
  if (found === null || !isGenerated) return []
  const message = `\`${name}\` has no default here, but ${found} in the database`
  return [{ part: 'default', message, isLooser: true }]
}

function emptyDifferences(plan: ColumnPlan, field: Field, { column, isGenerated }: Place): Difference[] {
  const { name, notNull } = plan
  if (field.required && !field.when && notNull && !column.isRequired)
    return [
      {
        part: 'required',
        option: 'required',
        message: `\`${name}\` is required here, but its column takes null`,
      },
    ]
  if (notNull || !column.isRequired || field.when) return []
  // Where a default or a trigger fills the column, a table written by hand may never be empty.
  if ((column.expression !== null || field.filled === true) && !isGenerated) return []
  const message = `\`${name}\` may be left empty here, but its column takes no null`
  return [{ part: 'required', message, isLooser: true }]
}

export interface Place {
  table: CatalogTable
  column: CatalogColumn
  /** Whether `resource new` made the table; one written by hand may hold a rule in words of its own. */
  isGenerated: boolean
}

/** Where a column of the database is not what the field asks for: what `check` tells and `migrate` changes. */
export function columnDifferences(
  plan: ColumnPlan,
  field: Field,
  place: Place,
  isWritten: boolean,
): Difference[] {
  const type = typeDifferences(plan, field, place, isWritten)
  // A column that nobody writes here follows the rules of its writer. Only the column itself can give it a default.
  if (!isWritten)
    return [
      ...type.filter(({ option }) => option === 'type'),
      ...(Reflect.has(field, 'default') && !place.table.isView && !place.column.isGenerated
        ? defaultDifferences(plan, field, place)
        : []),
    ]
  return [
    ...type,
    ...defaultDifferences(plan, field, place),
    ...emptyDifferences(plan, field, place),
    ...ruleDifferences(plan, field, place),
  ]
}

/** The key's action when the record that it points at is deleted. */
export function deleteRuleOf({ definition }: CatalogKey): DeleteRule {
  const rule = /ON DELETE (CASCADE|SET NULL)/.exec(definition)?.[1]
  return rule === 'CASCADE' ? 'cascade' : rule === 'SET NULL' ? 'set null' : 'refuse'
}
