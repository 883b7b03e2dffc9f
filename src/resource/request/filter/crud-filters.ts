import type { CrudFilter, CrudOperators } from '@refinedev/core'
import type { Filter } from '@/resource/language/definition.generated'
import { type FilterNode, parseFilter } from '@/resource/request/filter/parse'
import type { FilterScope } from '@/resource/request/filter/scope'

const OPERATORS: Readonly<Record<string, Exclude<CrudOperators, 'or' | 'and'>>> = {
  eq: 'eq',
  neq: 'ne',
  lt: 'lt',
  lte: 'lte',
  gt: 'gt',
  gte: 'gte',
}

/** No row: an "or" of nothing. */
const NEVER: CrudFilter = { operator: 'or', value: [] }
/** Every row. */
const ALWAYS: CrudFilter = { operator: 'and', value: [] }

function toCrudFilter(node: FilterNode): CrudFilter {
  switch (node.kind) {
    case 'all':
      return { operator: 'and', value: node.nodes.map(toCrudFilter) }
    case 'any':
      return { operator: 'or', value: node.nodes.map(toCrudFilter) }
    case 'unknown':
      return NEVER
    case 'compare':
      return { field: node.field, operator: OPERATORS[node.op] ?? 'eq', value: node.value }
    case 'null':
      return { field: node.field, operator: node.negated ? 'nnull' : 'null', value: true }
    case 'in':
      if (node.values.length === 0) return node.negated ? ALWAYS : NEVER
      return { field: node.field, operator: node.negated ? 'nin' : 'in', value: node.values }
    case 'has':
      if (node.isEach) return { field: node.field, operator: 'ina', value: node.values }
      return {
        operator: 'or',
        value: node.values.map((value) => ({ field: node.field, operator: 'ina', value: [value] })),
      }
    case 'empty':
      // `eq []` and `ne []` mean an empty list (refine/crud-filters.ts).
      return { field: node.field, operator: node.negated ? 'ne' : 'eq', value: [] }
    case 'none':
      // Under an "any of", PostgREST has no words for it: lists take no such filter (`WhereReach`).
      throw new Error(`A list cannot ask for "_none" of "${node.field}"`)
    case 'contains':
      return { field: node.field, operator: 'contains', value: node.value }
  }
}

/** The filter as Refine's filters; all of them must hold. */
export function toCrudFilters(filter: Filter, scope: FilterScope = {}): CrudFilter[] {
  const node = parseFilter(filter, scope)
  return node.kind === 'all' ? node.nodes.map(toCrudFilter) : [toCrudFilter(node)]
}
