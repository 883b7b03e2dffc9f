import type { FilterStyle } from '@/resource/fields/kind-interface'
import { kindOf, valueKindOf } from '@/resource/fields/kinds'
import { targetOf } from '@/resource/fields/related-field'
import type { Condition, Definition, Field, Filter } from '@/resource/language/definition.generated'
import {
  choicesOf,
  columnOf,
  dayBounds,
  filterStyle,
  isDay,
  MAX_TEXT,
  NOW_AND_DAYS,
  splitIds,
} from '@/resource/request/filter/from-url'
import { isKnownVariable } from '@/resource/request/filter/scope'

export const MAX_CONDITIONS = 50
export const MAX_DEPTH = 4
/**
 * Limits the text as an address writes it. The request that it becomes is at most three times as long, and servers
 * take 16 kB; a saved view keeps 8 kB.
 */
export const MAX_LENGTH = 5000
/** Before or after today: the four figures that `NOW_AND_DAYS` and the pattern below read. */
export const MAX_DAYS = 9999
const SPAN = /^(\$now-\d{1,4}d \$now|\$now \$now\+\d{1,4}d)$/
const ORDERED = '_eq _neq _lt _lte _gt _gte'
const OPERATORS: Record<FilterStyle, string> = {
  choice: '_eq _neq _in _nin',
  words: '_has_any _has_all',
  record: '_eq _neq _in _nin',
  yesNo: '_eq',
  contains: '_contains _eq _neq',
  range: ORDERED,
  days: ORDERED,
}

/** Links are rows of another table: one of the records is among them, or none, or there is no row or some. */
const LINK_OPERATORS = ['_in', '_none', '_null']
const LISTED: ReadonlySet<string> = new Set(['_in', '_nin', '_has_any', '_has_all'])

/**
 * The reach of an advanced filter. A list compares the resource's own columns: PostgREST cannot name other tables
 * under an "any of". The database's own functions, which evaluate the rules of groups, follow many-to-many links
 * too.
 */
export type WhereReach = 'columns' | 'links'

/** How a field takes part in an advanced filter. */
export function whereStyle(
  definition: Definition,
  name: string,
  reach: WhereReach = 'columns',
): FilterStyle | undefined {
  const field = Object.hasOwn(definition.fields, name) ? definition.fields[name] : undefined
  if (!field || field.from || (kindOf(field.type).detached && reach === 'columns')) return undefined
  return field.filter === false ? undefined : filterStyle(field)
}

/** Whether `$user` can be a value of the field. */
export function isOfPeople(field: Field): boolean {
  return ['people', 'users'].includes(targetOf(field) ?? '')
}

export function isWhereDay(value: unknown): value is string {
  return typeof value === 'string' && isDay(value)
}

/** A whole number where the column may be one: Postgres refuses others, and larger ones. */
function isFigure(field: Field, value: number): boolean {
  const isExact = valueKindOf(field).isBigNumber || ('decimals' in field && field.decimals)
  return isExact ? Math.abs(value) < 1e12 : Number.isInteger(value) && Math.abs(value) < 2 ** 31
}

function isText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= MAX_TEXT &&
    // PostgreSQL refuses it in every text.
    !value.includes('\0') &&
    !isKnownVariable(value)
  )
}

/** Whether the field can hold the text. Of tags, those that no group of conditions can name are left out. */
function isChoice(field: Field, text: string): boolean {
  const { known, isClosed } = choicesOf(field)
  if (isClosed) return known.includes(text)
  if (filterStyle(field) === 'words') return !/["\\{}]/.test(text)
  const { filter, validate } = kindOf(field.type)
  return filter !== 'choice' || !validate?.(text, field)
}

function isValue(field: Field, operator: string, value: unknown): boolean {
  const isEquality = operator === '_eq' || operator === '_neq'
  switch (filterStyle(field)) {
    case 'yesNo':
      return typeof value === 'boolean'
    case 'range':
      return typeof value === 'number' && isFigure(field, value)
    case 'record':
      if (value === '$user') return isEquality && isOfPeople(field)
      return typeof value === 'string' && splitIds(value)[0] === value
    case 'days':
      return isWhereDay(value) || (!isEquality && typeof value === 'string' && NOW_AND_DAYS.test(value))
    default:
      return isText(value) && isChoice(field, value)
  }
}

/** Whether the field is a choice among texts, part of which can be searched for as well. */
export function isSearchable(field: Field): boolean {
  return filterStyle(field) === 'choice' && valueKindOf(field).filter === 'contains'
}

/** Whether the field's values are links to other records, in a table between. */
export function isLinks(field: Field): boolean {
  return kindOf(field.type).detached === true
}

function isLinkCondition(field: Field, operator: string, value: unknown): boolean {
  if (!LINK_OPERATORS.includes(operator)) return false
  // A missing link has no row to be null: `_none` of nothing says that.
  if (operator === '_null') return value === false
  return (
    Array.isArray(value) &&
    (value.length > 0 || operator === '_none') &&
    value.every((each) => isValue(field, operator, each))
  )
}

/** A condition is an operator with a value of the field's kind, or the two ends of "the last" and "the next days". */
export function isWhereCondition(field: Field, condition: Record<string, unknown>): boolean {
  const [first, ...more] = Object.entries(condition)
  const style = filterStyle(field)
  if (!first || !style) return false
  const [operator, value] = first
  if (isLinks(field)) return more.length === 0 && isLinkCondition(field, operator, value)
  if (more.length > 0)
    return (
      style === 'days' &&
      more.length === 1 &&
      typeof condition._gte === 'string' &&
      typeof condition._lte === 'string' &&
      SPAN.test(`${condition._gte} ${condition._lte}`)
    )
  if (operator === (style === 'words' ? '_empty' : '_null')) return typeof value === 'boolean'
  if (operator === '_contains' && isSearchable(field)) return isText(value)
  if (!OPERATORS[style].split(' ').includes(operator)) return false
  if (!LISTED.has(operator)) return isValue(field, operator, value)
  const isList = Array.isArray(value) && value.length > 0
  return isList && value.every((each) => isValue(field, operator, each))
}

/** The filter in an address, where all of it is one that the list takes; else null. */
export function parseWhere(
  text: string,
  definition: Definition,
  reach: WhereReach = 'columns',
): Filter | null {
  let count = 0
  const isNode = (node: Record<string, unknown>, depth: number): boolean => {
    const [[key, value] = ['', null], ...more] = Object.entries(node)
    if (more.length > 0 || typeof value !== 'object' || value === null) return false
    if (key === '_and' || key === '_or')
      return (
        depth <= MAX_DEPTH &&
        Array.isArray(value) &&
        value.length > 0 &&
        value.every((inner) => isNode(inner, depth + 1))
      )
    const field = whereStyle(definition, key, reach) && definition.fields[key]
    return ++count <= MAX_CONDITIONS && field !== undefined && isWhereCondition(field, { ...value })
  }
  try {
    const node: unknown = JSON.parse(text)
    return encodeURIComponent(JSON.stringify(node)).length <= MAX_LENGTH && isNode(Object(node), 1)
      ? (node as Filter)
      : null
  } catch {
    return null
  }
}

/** A filter of a definition as an address writes it: one condition a node. */
export function toWhere(filter: Filter): Filter | null {
  const nodes = Object.entries(filter).flatMap(([key, value]): Filter[] => {
    if (Array.isArray(value)) {
      const inner = (value as Filter[]).map(toWhere).filter((each) => each !== null)
      if (key === '_and')
        return inner.flatMap((each) => (Array.isArray(each._and) ? (each._and as Filter[]) : [each]))
      return [{ [key]: inner }]
    }
    return Object.entries(value as Condition).map(([operator, operand]) => ({
      [key]: { [operator]: operand },
    }))
  })
  const [first, ...others] = nodes
  if (!first) return null
  return others.length === 0 ? first : { _and: nodes }
}

/** A day of the reader's calendar is a stretch of instants. */
function ofInstants(name: string, condition: Condition): Filter {
  const [[operator, day] = ['', null], ...more] = Object.entries(condition)
  if (more.length > 0 || !isWhereDay(day)) return { [name]: condition }
  const { _gte: start, _lt: end } = dayBounds({ from: day, to: day }, true)
  switch (operator) {
    case '_eq':
      return { [name]: { _gte: start, _lt: end } }
    case '_neq':
      return { _or: [{ [name]: { _lt: start } }, { [name]: { _gte: end } }] }
    case '_lt':
    case '_gte':
      return { [name]: { [operator]: start } }
    default:
      return { [name]: { [operator === '_lte' ? '_lt' : '_gte']: end } }
  }
}

/** The address's filter as the database is asked. */
export function whereFilter(definition: Definition, where: Filter): Filter {
  const [[key, value] = ['', undefined]] = Object.entries(where)
  if (Array.isArray(value)) return { [key]: value.map((inner) => whereFilter(definition, inner)) }
  const field = definition.fields[key]
  if (value && field && isLinks(field)) return { [columnOf(key, field)]: value }
  return value && field && valueKindOf(field).compare === 'instant' ? ofInstants(key, value) : where
}
