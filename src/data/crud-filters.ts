import type { CrudFilter, LogicalFilter } from '@refinedev/core'
import {
  compareOperation,
  containsOperation,
  groupOperation,
  type Operation,
  valueList,
} from '@/data/postgrest'
import type { RowCondition } from '@/data/rows'

const DIRECT: Record<string, string> = { eq: 'eq', ne: 'neq', lt: 'lt', lte: 'lte', gt: 'gt', gte: 'gte' }

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

function toLogic(filter: CrudFilter): string {
  if ('field' in filter) {
    const { operator, value } = operationOf(filter, groupOperation)
    return `${filter.field}.${operator}.${value}`
  }
  return `${filter.operator}(${filter.value.map(toLogic).join(',')})`
}

/** Refine's filters as conditions of ours, groups inside groups too. Throws on an operator we do not have. */
export function fromCrudFilters(filters: readonly CrudFilter[]): RowCondition[] {
  return filters.flatMap((filter): RowCondition[] => {
    if ('field' in filter)
      return [{ column: filter.field, ...operationOf(filter, compareOperation), logic: toLogic(filter) }]
    if (filter.value.length === 0) return []
    if (filter.operator === 'and') return fromCrudFilters(filter.value)
    return [{ or: filter.value.map(toLogic).join(',') }]
  })
}
