import {
  arrayLiteral,
  compareOperation,
  containsOperation,
  groupOperation,
  type Operation,
  valueList,
} from '@/data/postgrest'
import type { RowCondition } from '@/data/rows'
import type { Filter } from '@/resource/definition/definition.generated'
import { type FilterNode, parseFilter } from '@/resource/filter/parse'
import type { FilterScope } from '@/resource/filter/scope'

/** A column that is never null, to write "always" and "never" with. */
const KEY = 'id'

type FieldNode = Exclude<Extract<FilterNode, { field: string }>, { kind: 'empty' }>
type Compare = (operator: string, value: string) => Operation

function operationOf(node: FieldNode, compare: Compare): Operation {
  switch (node.kind) {
    case 'compare':
      return compare(node.op, String(node.value))
    case 'null':
      return { operator: node.negated ? 'not.is' : 'is', value: 'null' }
    case 'in':
      return { operator: node.negated ? 'not.in' : 'in', value: valueList(node.values) }
    case 'has':
      return { operator: node.isEach ? 'cs' : 'ov', value: arrayLiteral(node.values) }
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

/**
 * The inside of an "or" for a list without elements, and for one with some: contained in the list of one empty word,
 * and without that word. The embedded backend takes `{}` itself for a JSON object.
 */
function emptyLogic({ field, negated }: Extract<FilterNode, { kind: 'empty' }>): string {
  return negated
    ? `${field}.not.cd.{""},${field}.cs.{""}`
    : `${field}.is.null,and(${field}.cd.{""},${field}.not.cs.{""})`
}

function toLogic(node: FilterNode): string {
  if (node.kind === 'all') return group('and', node.nodes)
  if (node.kind === 'any') return group('or', node.nodes)
  if (node.kind === 'unknown') return NEVER
  if (node.kind === 'empty') return `or(${emptyLogic(node)})`
  if (isEmptyList(node)) return node.negated ? ALWAYS : NEVER
  const { operator, value } = operationOf(node, groupOperation)
  return `${node.field}.${operator}.${value}`
}

function toConditions(node: FilterNode): RowCondition[] {
  if (node.kind === 'all') return node.nodes.flatMap(toConditions)
  if (node.kind === 'any')
    return [{ or: node.nodes.length === 0 ? NEVER : node.nodes.map(toLogic).join(',') }]
  if (node.kind === 'unknown') return [{ or: NEVER }]
  if (node.kind === 'empty') return [{ or: emptyLogic(node) }]
  if (isEmptyList(node)) return node.negated ? [] : [{ or: NEVER }]
  return [{ column: node.field, ...operationOf(node, compareOperation), logic: toLogic(node) }]
}

/** The filter as conditions that PostgREST takes; all of them must hold. */
export function toPostgrest(filter: Filter, scope: FilterScope = {}): RowCondition[] {
  return toConditions(parseFilter(filter, scope))
}
