import type { Condition, Filter } from '@/resource/language/definition.generated'
import { literal } from './sql'

const OPERATORS: Record<string, string> = {
  _eq: '=',
  _neq: '<>',
  _lt: '<',
  _lte: '<=',
  _gt: '>',
  _gte: '>=',
}

/** A column or a literal; null for `$user` and `$now`, which a constraint cannot ask. */
function operand(value: unknown): string | null {
  if (typeof value !== 'string' || !value.startsWith('$')) return literal(value)
  const column = /^\$record\.(\w+)$/.exec(value)?.[1]
  if (column) return column
  return /^\$(user|now)\b/.test(value) ? null : literal(value)
}

/** A comparison of two expressions; null for an operator that compares with a list or with nothing. */
export function compareSql(left: string, operator: string, right: string): string | null {
  // As `ilike` folds case, which the form and the lists do too.
  if (operator === '_contains') return `strpos(lower(${left}), lower(${right})) > 0`
  const symbol = OPERATORS[operator]
  return symbol ? `${left} ${symbol} ${right}` : null
}

function comparison(column: string, operator: string, value: unknown): string | null {
  if (operator === '_null') return `${column} is ${value === false ? 'not ' : ''}null`
  if (operator === '_in' || operator === '_nin') {
    const items = (Array.isArray(value) ? value : []).map(operand)
    if (items.length === 0 || items.some((item) => item === null)) return null
    return `${column} ${operator === '_nin' ? 'not ' : ''}in (${items.join(', ')})`
  }
  if (operator === '_has_any' || operator === '_has_all') {
    const words = (Array.isArray(value) ? value : []).map(literal)
    return `${column} ${operator === '_has_any' ? '&&' : '@>'} array[${words.join(', ')}]::text[]`
  }
  if (operator === '_empty') return `coalesce(cardinality(${column}), 0) ${value === false ? '>' : '='} 0`
  if (value === null) return `${column} is ${operator === '_neq' ? 'not ' : ''}null`
  const right = operand(value)
  return right === null ? null : compareSql(column, operator, right)
}

/** A condition on one column as SQL; null where a constraint cannot say it. */
export function conditionSql(column: string, condition: Condition): string | null {
  const parts = Object.entries(condition).map(([operator, value]) => comparison(column, operator, value))
  return parts.length === 0 || parts.includes(null) ? null : parts.join(' and ')
}

/** A filter as SQL over the row's own columns; null where a constraint cannot say it. */
export function filterSql(filter: Filter): string | null {
  const parts = Object.entries(filter).map(([key, value]) => {
    if (key !== '_and' && key !== '_or') return conditionSql(key, value as Condition)
    const inner = (value as Filter[]).map(filterSql)
    return inner.length === 0 || inner.includes(null)
      ? null
      : `(${inner.join(key === '_and' ? ' and ' : ' or ')})`
  })
  return parts.length === 0 || parts.includes(null) ? null : parts.join(' and ')
}
