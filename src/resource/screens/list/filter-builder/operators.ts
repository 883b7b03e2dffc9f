import type { FilterStyle } from '@/resource/fields/kind-interface'
import type { Condition, Field } from '@/resource/language/definition.generated'
import { filterStyle } from '@/resource/request/filter/from-url'
import { isLinks, isOfPeople, isSearchable, isWhereCondition } from '@/resource/request/filter/where'

/** How a condition is put to people; each has a word and a sentence in `locales/`. */
export type Operator =
  | 'is'
  | 'isNot'
  | 'me'
  | 'notMe'
  | 'contains'
  | 'hasAny'
  | 'anyOf'
  | 'noneOf'
  | 'hasAll'
  | 'below'
  | 'atMost'
  | 'above'
  | 'atLeast'
  | 'on'
  | 'notOn'
  | 'before'
  | 'until'
  | 'after'
  | 'from'
  | 'lastDays'
  | 'nextDays'
  | 'empty'
  | 'filled'

type Sign = keyof Condition

const COMPARING: Partial<Record<Operator, Sign>> = {
  contains: '_contains',
  hasAny: '_has_any',
  hasAll: '_has_all',
  below: '_lt',
  atMost: '_lte',
  above: '_gt',
  atLeast: '_gte',
  on: '_eq',
  notOn: '_neq',
  before: '_lt',
  until: '_lte',
  after: '_gt',
  from: '_gte',
}

const OFFERED: Record<FilterStyle, readonly Operator[]> = {
  choice: ['is', 'isNot'],
  words: ['hasAny', 'hasAll'],
  record: ['is', 'isNot'],
  yesNo: ['is'],
  contains: ['contains', 'is', 'isNot'],
  range: ['is', 'isNot', 'below', 'atMost', 'above', 'atLeast'],
  days: ['lastDays', 'nextDays', 'on', 'notOn', 'before', 'until', 'after', 'from'],
}

export function operatorsOf(field: Field): Operator[] {
  const style = filterStyle(field)
  if (isLinks(field)) return ['anyOf', 'noneOf', 'empty', 'filled']
  const own = style ? [...OFFERED[style], ...(isSearchable(field) ? (['contains'] as const) : [])] : []
  return [...own, ...(isOfPeople(field) ? (['me', 'notMe'] as const) : []), 'empty', 'filled']
}

/** The operand of an operator: nothing, a number of days, or a value of the field's kind. */
export function operandOf(operator: Operator): 'none' | 'days' | 'value' {
  if (['me', 'notMe', 'empty', 'filled'].includes(operator)) return 'none'
  return operator === 'lastDays' || operator === 'nextDays' ? 'days' : 'value'
}

function compiled(field: Field, operator: Operator, values: readonly string[]): Condition {
  const first = values[0]?.trim() ?? ''
  const style = filterStyle(field)
  const value = style === 'range' && first !== '' ? Number(first) : first
  switch (operator) {
    case 'anyOf':
      return { _in: [...values] }
    case 'noneOf':
      // An empty list of values would say that there are no links.
      return values.length > 0 ? { _none: [...values] } : {}
    case 'empty':
    case 'filled':
      if (isLinks(field)) return operator === 'empty' ? { _none: [] } : { _null: false }
      return { [style === 'words' ? '_empty' : '_null']: operator === 'empty' }
    case 'hasAny':
      return { _has_any: [...values] }
    case 'hasAll':
      return { _has_all: [...values] }
    case 'me':
      return { _eq: '$user' }
    case 'notMe':
      return { _neq: '$user' }
    case 'lastDays':
      return { _gte: `$now-${first}d`, _lte: '$now' }
    case 'nextDays':
      return { _gte: '$now', _lte: `$now+${first}d` }
    case 'is':
    case 'isNot':
      if (style === 'yesNo') return first === '' ? {} : { _eq: first === 'true' }
      if (values.length > 1) return { [operator === 'is' ? '_in' : '_nin']: [...values] }
      return { [operator === 'is' ? '_eq' : '_neq']: value }
    default:
      return { [COMPARING[operator] ?? '']: value }
  }
}

/** The condition in the filter language; null while something is missing or no value of the field's kind. */
export function toCondition(field: Field, operator: Operator, values: readonly string[]): Condition | null {
  const condition = compiled(field, operator, values)
  return isWhereCondition(field, { ...condition }) ? condition : null
}

/** The other way round, of a condition that was checked. */
export function fromCondition(
  field: Field,
  condition: Condition,
): { operator: Operator; values: readonly string[] } {
  const [[sign, value] = ['_null', true], second] = Object.entries(condition) as [Sign, unknown][]
  if (second) {
    const [past, ahead] = [String(condition._gte), String(condition._lte)]
    return past === '$now'
      ? { operator: 'nextDays', values: [ahead.slice('$now+'.length, -1)] }
      : { operator: 'lastDays', values: [past.slice('$now-'.length, -1)] }
  }
  if (sign === '_null' || sign === '_empty')
    return { operator: value === true ? 'empty' : 'filled', values: [] }
  if (value === '$user') return { operator: sign === '_eq' ? 'me' : 'notMe', values: [] }
  if (isLinks(field) && Array.isArray(value)) {
    if (value.length === 0) return { operator: 'empty', values: [] }
    return { operator: sign === '_none' ? 'noneOf' : 'anyOf', values: value.map(String) }
  }
  const values = Array.isArray(value) ? value.map(String) : [String(value)]
  const operator = operatorsOf(field).find((each) => COMPARING[each] === sign)
  return { operator: operator ?? (sign === '_eq' || sign === '_in' ? 'is' : 'isNot'), values }
}
