import { containsOperation, quoteValue, valueList } from '@/data/postgrest'
import type { RowCondition } from '@/data/rows'
import type { Filter } from '@/resource/definition/definition.generated'
import { type FilterNode, parseFilter } from '@/resource/filter/parse'
import type { FilterScope } from '@/resource/filter/scope'

/** A column that is never null, to write "always" and "never" with. */
const KEY = 'id'

interface Operation {
  operator: string
  value: string
  /** Lists and `is` values are never quoted as a whole. */
  plain?: boolean
}

type FieldNode = Extract<FilterNode, { field: string }>

function operationOf(node: FieldNode): Operation {
  switch (node.kind) {
    case 'compare':
      return { operator: node.op, value: String(node.value) }
    case 'null':
      return { operator: node.negated ? 'not.is' : 'is', value: 'null', plain: true }
    case 'in':
      return { operator: node.negated ? 'not.in' : 'in', value: valueList(node.values), plain: true }
    case 'contains':
      return containsOperation(node.value)
  }
}

const NEVER = `and(${KEY}.is.null,${KEY}.not.is.null)`
const ALWAYS = `or(${KEY}.is.null,${KEY}.not.is.null)`

function group(word: 'and' | 'or', nodes: FilterNode[]): string {
  if (nodes.length === 0) return word === 'and' ? ALWAYS : NEVER
  return `${word}(${nodes.map(toLogic).join(',')})`
}

function isEmptyList(node: FilterNode): node is Extract<FilterNode, { kind: 'in' }> {
  return node.kind === 'in' && node.values.length === 0
}

function toLogic(node: FilterNode): string {
  if (node.kind === 'all') return group('and', node.nodes)
  if (node.kind === 'any') return group('or', node.nodes)
  if (node.kind === 'unknown') return NEVER
  if (isEmptyList(node)) return node.negated ? ALWAYS : NEVER
  const { operator, value, plain } = operationOf(node)
  return `${node.field}.${operator}.${plain ? value : quoteValue(value)}`
}

function toConditions(node: FilterNode): RowCondition[] {
  if (node.kind === 'all') return node.nodes.flatMap(toConditions)
  if (node.kind === 'any')
    return [{ or: node.nodes.length === 0 ? NEVER : node.nodes.map(toLogic).join(',') }]
  if (node.kind === 'unknown') return [{ or: NEVER }]
  if (isEmptyList(node)) return node.negated ? [] : [{ or: NEVER }]
  const { operator, value } = operationOf(node)
  return [{ column: node.field, operator, value }]
}

/** The filter as conditions that PostgREST takes; all of them must hold. */
export function toPostgrest(filter: Filter, scope: FilterScope = {}): RowCondition[] {
  return toConditions(parseFilter(filter, scope))
}
