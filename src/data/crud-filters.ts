import type { CrudFilter, LogicalFilter } from '@refinedev/core'
import { containsOperation, quoteValue, valueList } from '@/data/postgrest'
import type { RowCondition } from '@/data/rows'

interface Operation {
  operator: string
  value: string
  plain?: boolean
}

const DIRECT: Record<string, string> = { eq: 'eq', ne: 'neq', lt: 'lt', lte: 'lte', gt: 'gt', gte: 'gte' }

function operationOf({ operator, value, field }: LogicalFilter): Operation {
  const direct = DIRECT[operator]
  if (direct) return { operator: direct, value: String(value) }
  switch (operator) {
    case 'in':
      return { operator: 'in', value: valueList(value as unknown[]), plain: true }
    case 'nin':
      return { operator: 'not.in', value: valueList(value as unknown[]), plain: true }
    case 'null':
      return { operator: 'is', value: 'null', plain: true }
    case 'nnull':
      return { operator: 'not.is', value: 'null', plain: true }
    case 'contains':
      return containsOperation(String(value))
    default:
      throw new Error(`The data provider has no operator "${operator}" (on "${field}")`)
  }
}

function toLogic(filter: CrudFilter): string {
  if ('field' in filter) {
    const { operator, value, plain } = operationOf(filter)
    return `${filter.field}.${operator}.${plain ? value : quoteValue(value)}`
  }
  return `${filter.operator}(${filter.value.map(toLogic).join(',')})`
}

/** Refine's filters as conditions of ours, groups inside groups too. Throws on an operator we do not have. */
export function fromCrudFilters(filters: readonly CrudFilter[]): RowCondition[] {
  return filters.flatMap((filter): RowCondition[] => {
    if ('field' in filter) {
      const { operator, value } = operationOf(filter)
      return [{ column: filter.field, operator, value }]
    }
    if (filter.value.length === 0) return []
    if (filter.operator === 'and') return fromCrudFilters(filter.value)
    return [{ or: filter.value.map(toLogic).join(',') }]
  })
}
