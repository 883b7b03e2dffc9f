import type { Condition, Filter, Scalar } from '@/resource/language/definition.generated'
import { type FilterScope, isKnownVariable, isVariable, resolveValue } from '@/resource/request/filter/scope'

export type Comparison = 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte'

/** The one shape that both compilers read, so that they cannot disagree about what a filter says. */
export type FilterNode =
  | { kind: 'compare'; field: string; op: Comparison; value: Exclude<Scalar, null> }
  | { kind: 'in'; field: string; values: Exclude<Scalar, null>[]; negated: boolean }
  | { kind: 'contains'; field: string; value: string }
  | { kind: 'null'; field: string; negated: boolean }
  /** For lists: has one of the values, or each of them. */
  | { kind: 'has'; field: string; values: string[]; isEach: boolean }
  /** For lists: null, or without elements. */
  | { kind: 'empty'; field: string; negated: boolean }
  /** For links: to none of these records; without values, to none at all. */
  | { kind: 'none'; field: string; values: string[] }
  /** A comparison with a variable that stands for nothing: neither true nor false, as in SQL. */
  | { kind: 'unknown' }
  | { kind: 'all'; nodes: FilterNode[] }
  | { kind: 'any'; nodes: FilterNode[] }

const COMPARISONS: Record<string, Comparison> = {
  _eq: 'eq',
  _neq: 'neq',
  _lt: 'lt',
  _lte: 'lte',
  _gt: 'gt',
  _gte: 'gte',
}

function parseComparison(field: string, op: Comparison, value: Scalar, scope: FilterScope): FilterNode {
  if (value === null) {
    // Written out, null asks for emptiness; an order relation with it has no answer.
    if (op === 'eq') return { kind: 'null', field, negated: false }
    if (op === 'neq') return { kind: 'null', field, negated: true }
    return { kind: 'unknown' }
  }
  const resolved = resolveValue(value, scope)
  return resolved === null ? { kind: 'unknown' } : { kind: 'compare', field, op, value: resolved }
}

function parseIn(field: string, list: Scalar[], negated: boolean, scope: FilterScope): FilterNode {
  const values: Exclude<Scalar, null>[] = []
  const parts: FilterNode[] = []
  for (const item of list) {
    const resolved = item === null ? null : resolveValue(item, scope)
    if (resolved !== null) values.push(resolved)
    else if (item === null) parts.push({ kind: 'null', field, negated })
    else parts.push({ kind: 'unknown' })
  }
  const own: FilterNode = { kind: 'in', field, values, negated }
  if (parts.length === 0) return own
  return negated ? { kind: 'all', nodes: [own, ...parts] } : { kind: 'any', nodes: [own, ...parts] }
}

function parseHas(field: string, values: string[], isEach: boolean): FilterNode {
  if (values.length > 0) return { kind: 'has', field, values, isEach }
  return isEach ? { kind: 'null', field, negated: true } : { kind: 'any', nodes: [] }
}

function parseOperator(field: string, operator: string, value: unknown, scope: FilterScope): FilterNode {
  const comparison = COMPARISONS[operator]
  if (comparison) return parseComparison(field, comparison, value as Scalar, scope)
  if (operator === '_in') return parseIn(field, value as Scalar[], false, scope)
  if (operator === '_nin') return parseIn(field, value as Scalar[], true, scope)
  if (operator === '_has_any' || operator === '_has_all')
    return parseHas(field, value as string[], operator === '_has_all')
  if (operator === '_empty') return { kind: 'empty', field, negated: value === false }
  if (operator === '_none') {
    const values = (value as string[]).flatMap((item) => resolveValue(item, scope) ?? [])
    return { kind: 'none', field, values: values.map(String) }
  }
  if (operator === '_null') return { kind: 'null', field, negated: value === false }
  if (operator === '_contains') {
    const resolved = isVariable(value) && isKnownVariable(value) ? resolveValue(value, scope) : value
    return resolved === null ? { kind: 'unknown' } : { kind: 'contains', field, value: String(resolved) }
  }
  throw new Error(`Unknown filter operator "${operator}" on "${field}"`)
}

/** Conditions on one field, all of which must hold. */
export function parseCondition(field: string, condition: Condition, scope: FilterScope = {}): FilterNode {
  const nodes = Object.entries(condition)
    .filter(([, value]) => value !== undefined)
    .map(([operator, value]) => parseOperator(field, operator, value, scope))
  return nodes.length === 1 && nodes[0] ? nodes[0] : { kind: 'all', nodes }
}

/** Throws on an operator that the language does not have; a checked definition has none. */
export function parseFilter(filter: Filter, scope: FilterScope = {}): FilterNode {
  const nodes: FilterNode[] = []
  for (const [key, value] of Object.entries(filter)) {
    if (value === undefined) continue
    if (key === '_and' || key === '_or') {
      const inner = (value as Filter[]).map((item) => parseFilter(item, scope))
      nodes.push({ kind: key === '_and' ? 'all' : 'any', nodes: inner })
    } else nodes.push(parseCondition(key, value as Condition, scope))
  }
  return nodes.length === 1 && nodes[0] ? nodes[0] : { kind: 'all', nodes }
}
