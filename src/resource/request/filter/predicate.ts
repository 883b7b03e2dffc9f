import { valueKindOf } from '@/resource/fields/kinds'
import type { CompareAs } from '@/resource/language/compare-as'
import type { Condition, Definition, Filter } from '@/resource/language/definition.generated'
import {
  type Comparison,
  type FilterNode,
  parseCondition,
  parseFilter,
} from '@/resource/request/filter/parse'
import type { FilterScope } from '@/resource/request/filter/scope'

type Truth = boolean | null
type Row = Record<string, unknown>
type KindOf = (field: string) => CompareAs

/** Postgres orders text by code point under the C collation; JavaScript by UTF-16 unit, which differs above U+FFFF. */
function compareText(a: string, b: string): number {
  const left = [...a]
  const right = [...b]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

function toNumber(value: unknown): number {
  if (typeof value === 'string' && value.trim() === '') return Number.NaN
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
}

function compareAs(kind: CompareAs, a: unknown, b: unknown): number {
  switch (kind) {
    case 'number':
      return toNumber(a) - toNumber(b)
    case 'boolean':
      return Number(a === true || a === 'true') - Number(b === true || b === 'true')
    case 'instant':
      return Date.parse(String(a)) - Date.parse(String(b))
    case 'date':
      return compareText(String(a).slice(0, 10), String(b).slice(0, 10))
    case 'text':
      return compareText(String(a), String(b))
  }
}

const HOLDS: Record<Comparison, (order: number) => boolean> = {
  eq: (order) => order === 0,
  neq: (order) => order !== 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined
}

function readField(row: Row, field: string): unknown {
  return field.split('.').reduce<unknown>((value, key) => {
    return typeof value === 'object' && value !== null ? (value as Row)[key] : undefined
  }, row)
}

/**
 * Lower case a character at a time, as `ilike` has it: İ is i, and I is never ı, whatever the language. Search
 * that knows Turkish goes through `search_<resource>`.
 */
function foldCase(text: string): string {
  return [...text]
    .map((character) => {
      if (character === 'İ') return 'i'
      const lower = character.toLowerCase()
      return [...lower].length === 1 ? lower : character
    })
    .join('')
}

function holdsIn(node: Extract<FilterNode, { kind: 'in' }>, value: unknown, kind: CompareAs): Truth {
  if (node.values.length === 0) return node.negated
  if (isEmpty(value)) return null
  const found = node.values.some((candidate) => compareAs(kind, value, candidate) === 0)
  return found !== node.negated
}

function all(truths: Truth[]): Truth {
  if (truths.includes(false)) return false
  return truths.includes(null) ? null : true
}

function any(truths: Truth[]): Truth {
  if (truths.includes(true)) return true
  return truths.includes(null) ? null : false
}

/** SQL's three values: a comparison with an empty field is null, neither true nor false. */
function evaluate(node: FilterNode, row: Row, kindOf: KindOf): Truth {
  switch (node.kind) {
    case 'unknown':
      return null
    case 'all':
      return all(node.nodes.map((inner) => evaluate(inner, row, kindOf)))
    case 'any':
      return any(node.nodes.map((inner) => evaluate(inner, row, kindOf)))
    case 'null':
      return isEmpty(readField(row, node.field)) !== node.negated
    case 'in':
      return holdsIn(node, readField(row, node.field), kindOf(node.field))
    case 'contains': {
      const value = readField(row, node.field)
      return isEmpty(value) ? null : foldCase(String(value)).includes(foldCase(node.value))
    }
    case 'has': {
      const value = readField(row, node.field)
      if (!Array.isArray(value)) return null
      const holds = (wanted: string) => value.includes(wanted)
      return node.isEach ? node.values.every(holds) : node.values.some(holds)
    }
    case 'empty': {
      const value = readField(row, node.field)
      return (isEmpty(value) || (Array.isArray(value) && value.length === 0)) !== node.negated
    }
    case 'none': {
      const value = readField(row, node.field)
      if (!Array.isArray(value)) return null
      return node.values.length > 0 ? !node.values.some((each) => value.includes(each)) : value.length === 0
    }
    case 'compare': {
      const value = readField(row, node.field)
      if (isEmpty(value)) return null
      const order = compareAs(kindOf(node.field), value, node.value)
      return Number.isNaN(order) ? null : HOLDS[node.op](order)
    }
  }
}

const asText: KindOf = () => 'text'

/** Whether the row is one that the database would return for this filter. */
export function matches(filter: Filter, row: Row, scope: FilterScope = {}, kindOf: KindOf = asText): boolean {
  return evaluate(parseFilter(filter, { record: row, ...scope }), row, kindOf) === true
}

/** Whether a check constraint with this condition would accept the row: only `false` is refused. */
export function passes(
  field: string,
  condition: Condition,
  row: Row,
  scope: FilterScope = {},
  kindOf: KindOf = asText,
): boolean {
  return evaluate(parseCondition(field, condition, { record: row, ...scope }), row, kindOf) !== false
}

/** How each field of a resource compares, for filters that are evaluated here. */
export function compareKinds(definition: Definition): (field: string) => CompareAs {
  return (name) => {
    const field = definition.fields[name]
    return field ? valueKindOf(field).compare : 'text'
  }
}
