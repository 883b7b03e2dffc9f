import type { CrudFilter, LogicalFilter } from '@refinedev/core'
import {
  arrayLiteral,
  compareOperation,
  containsOperation,
  groupOperation,
  type Operation,
  valueList,
} from '@/data/postgrest'
import type { RowCondition } from '@/data/rows'

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
 * The inside of an "or" for a list without elements, and for one with some: contained in the list of one empty word, and
 * without that word. The embedded backend takes `{}` itself for a JSON object.
 */
function emptyLogic({ field, operator }: LogicalFilter): string {
  return operator === 'ne'
    ? `${field}.not.cd.{""},${field}.cs.{""}`
    : `${field}.is.null,and(${field}.cd.{""},${field}.not.cs.{""})`
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
    if (isEmptiness(filter)) return `or(${emptyLogic(filter)})`
    const constant = constantOf(filter)
    if (constant) return constant
    const { operator, value } = operationOf(filter, groupOperation)
    return `${filter.field}.${operator}.${value}`
  }
  if (filter.value.length === 0) return filter.operator === 'and' ? ALWAYS : NEVER
  return `${filter.operator}(${filter.value.map(toLogic).join(',')})`
}

/** Refine's filters as conditions of a request, groups inside groups too. @throws Error on an operator we do not have */
export function fromCrudFilters(filters: readonly CrudFilter[]): RowCondition[] {
  return filters.flatMap((filter): RowCondition[] => {
    if ('field' in filter) {
      if (isEmptiness(filter)) return [{ or: emptyLogic(filter) }]
      const constant = constantOf(filter)
      if (constant) return constant === NEVER ? [{ or: NEVER }] : []
      return [{ column: filter.field, ...operationOf(filter, compareOperation), logic: toLogic(filter) }]
    }
    if (filter.operator === 'and') return fromCrudFilters(filter.value)
    return [{ or: filter.value.length === 0 ? NEVER : filter.value.map(toLogic).join(',') }]
  })
}
