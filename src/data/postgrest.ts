import type { CrudFilter, LogicalFilter } from '@refinedev/core'

/**
 * How filters and their values are written into PostgREST's little language of `column.operator.value`, in the forms that
 * hosted PostgREST and the embedded backend read alike. The embedded one, as measured: in a logic group it
 * leaves the quotes around a pattern and the escapes inside a quoted value where they are, and outside of
 * one it takes quotes off that belong to the value and the texts `null` and `unknown` for emptiness. Lists with quotes
 * around these it reads right everywhere.
 */

interface Operation {
  operator: string
  value: string
}

/** Numbers, words and ids need no quotes anywhere. The embedded backend takes `true` for a boolean, not `"true"`. */
const PLAIN = /^(?!(?:null|unknown)$)[A-Za-z0-9_-]+$/

/** A list element, quoted if it could end too early. */
function listItem(value: string): string {
  return PLAIN.test(value) ? value : `"${value.replace(/["\\]/g, (character) => `\\${character}`)}"`
}

export function valueList(values: readonly unknown[]): string {
  return `(${values.map((value) => listItem(String(value))).join(',')})`
}

/** Postgres' own writing of a list, each element quoted. In a logic group none may hold a quote, backslash or brace. */
function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, (sign) => `\\${sign}`)}"`).join(',')}}`
}

/** Every sign as its code, so that nothing in the pattern can end a value or mean something. */
function regexOf(text: string): string {
  return text.replace(/[ -/:-@[-`{-~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * A case-insensitive "contains". In a pattern `*` always is a wildcard, and `,` or a bracket would end it:
 * a text with such a sign goes as a regular expression.
 */
export function containsOperation(text: string): Operation {
  return /[*,()"\\]/.test(text)
    ? { operator: 'imatch', value: regexOf(text) }
    : { operator: 'ilike', value: `%${text.replace(/[%_]/g, (sign) => `\\${sign}`)}%` }
}

const AS_LIST: Record<string, string> = { eq: 'in', neq: 'not.in' }

/** A comparison as a separate parameter. */
function compareOperation(operator: string, value: string): Operation {
  const list = AS_LIST[operator]
  return list && /^["\s]|\s$|^(?:null|unknown)$/.test(value)
    ? { operator: list, value: valueList([value]) }
    : { operator, value }
}

/** A comparison inside a logic group, where `,` and brackets end a value and blanks around it are lost. */
function groupOperation(operator: string, value: string): Operation {
  const list = AS_LIST[operator]
  if (list && !PLAIN.test(value)) return { operator: list, value: valueList([value]) }
  return { operator, value: /[,()]|^\s|\s$/.test(value) ? listItem(value) : value }
}

const DIRECT: Record<string, string> = { eq: 'eq', ne: 'neq', lt: 'lt', lte: 'lte', gt: 'gt', gte: 'gte' }

/** A column that is never null, for conditions that are always or never true. */
const KEY = 'id'
const NEVER = `and(${KEY}.is.null,${KEY}.not.is.null)`
const ALWAYS = `or(${KEY}.is.null,${KEY}.not.is.null)`

/** `eq []` and `ne []`: a list without elements. */
function isEmptiness(filter: LogicalFilter): boolean {
  return Array.isArray(filter.value) && filter.value.length === 0 && ['eq', 'ne'].includes(filter.operator)
}

/**
 * A list without elements, or one with some: contained in the list of one empty word, and without that word. The
 * embedded backend takes `{}` itself for a JSON object.
 */
function emptyLogic({ field, operator }: LogicalFilter): string {
  return operator === 'ne'
    ? `or(${field}.not.cd.{""},${field}.cs.{""})`
    : `or(${field}.is.null,and(${field}.cd.{""},${field}.not.cs.{""}))`
}

function operationOf(
  { operator, value, field }: LogicalFilter,
  compare: (operator: string, value: string) => Operation,
): Operation {
  const direct = DIRECT[operator]
  if (direct) return compare(direct, String(value))
  switch (operator) {
    case 'in':
      return { operator: 'in', value: valueList(value as unknown[]) }
    case 'nin':
      return { operator: 'not.in', value: valueList(value as unknown[]) }
    case 'ina':
      return { operator: 'cs', value: arrayLiteral((value as unknown[]).map(String)) }
    case 'nina':
      return { operator: 'not.cs', value: arrayLiteral((value as unknown[]).map(String)) }
    case 'null':
      return { operator: 'is', value: 'null' }
    case 'nnull':
      return { operator: 'not.is', value: 'null' }
    case 'contains':
      return containsOperation(String(value))
    default:
      throw new Error(`The data provider has no operator "${operator}" (on "${field}")`)
  }
}

/** An `in` without choices holds for no row, which PostgREST has no form for. */
function constantOf(filter: LogicalFilter): typeof NEVER | typeof ALWAYS | null {
  if (!Array.isArray(filter.value) || filter.value.length > 0) return null
  if (filter.operator === 'in') return NEVER
  return filter.operator === 'nin' || filter.operator === 'ina' ? ALWAYS : null
}

function toLogic(filter: CrudFilter): string {
  if ('field' in filter) {
    if (isEmptiness(filter)) return emptyLogic(filter)
    const constant = constantOf(filter)
    if (constant) return constant
    const { operator, value } = operationOf(filter, groupOperation)
    return `${filter.field}.${operator}.${value}`
  }
  if (filter.value.length === 0) return filter.operator === 'and' ? ALWAYS : NEVER
  return `${filter.operator}(${filter.value.map(toLogic).join(',')})`
}

export interface WrittenFilters {
  /** The first condition on each column. */
  parameters: (Operation & { column: string })[]
  /** The other conditions, all of which must hold. */
  groups: string[]
  /** Conditions by embedded table; no group of the request's own may hold them. */
  embedded: ReadonlyMap<string, string[]>
}

/**
 * Refine's filters as parameters of a request, groups inside groups too. The embedded backend obeys only one of several
 * parameters with the same name, so a second condition on a column (`taken` has one already), and every `or`, go into
 * one group, or into that of the embedded table.
 * @throws Error on an operator that is not in the table of docs/extending.md
 */
export function writeFilters(filters: readonly CrudFilter[], taken: readonly string[] = []): WrittenFilters {
  const columns = new Set(taken)
  const parameters: WrittenFilters['parameters'] = []
  const groups: string[] = []
  const embedded = new Map<string, string[]>()
  const flat = (filter: CrudFilter): CrudFilter[] =>
    'field' in filter || filter.operator === 'or' ? [filter] : filter.value.flatMap(flat)
  for (const filter of filters.flatMap(flat)) {
    const logic = toLogic(filter)
    if (logic === ALWAYS) continue
    if (!('field' in filter) || logic === NEVER || isEmptiness(filter)) groups.push(logic)
    else if (!columns.has(filter.field)) {
      columns.add(filter.field)
      parameters.push({ column: filter.field, ...operationOf(filter, compareOperation) })
    } else {
      const embed = filter.field.split('.').slice(0, -1).join('.')
      if (embed === '') groups.push(logic)
      else embedded.set(embed, [...(embedded.get(embed) ?? []), logic.slice(embed.length + 1)])
    }
  }
  return { parameters, groups, embedded }
}
