import { kindOf, valueKindOf } from '@/resource/fields/kinds'
import { ownField } from '@/resource/fields/related-field'
import { isStoredDate } from '@/resource/fields/value-checks'
import type { CompareAs } from '@/resource/language/compare-as'
import type { Condition, Field } from '@/resource/language/definition.generated'
import { hintFor } from '@/resource/language/inspect/hint'
import { minLength } from '@/resource/language/inspect/pattern-tree'
import { isVariable } from '@/resource/request/filter/scope'

export interface ValueProblem {
  message: string
  hint?: string | undefined
}

const FITS: Record<CompareAs, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && isStoredDate(value),
  instant: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
}

const EXPECTED: Record<CompareAs, string> = {
  text: 'a text in quotes',
  number: 'a number without quotes',
  boolean: '`true` or `false`',
  date: 'a day such as `"2026-12-31"`, or `"$now"`',
  instant: 'a moment such as `"2026-12-31T09:00:00Z"`, or `"$now-30d"`',
}

/** How a value misses a rule, by the key under which the console tells it. */
const RULES: Record<string, string> = {
  tooLong: 'it is longer than `max_length`',
  pattern: 'it does not match `pattern`',
  min: 'it is below `min`',
  max: 'it is above `max`',
  money: 'an amount has two decimals at most',
}

/** Why a form would refuse a value of the definition. */
export function refusalOf(field: Field, value: unknown): { key: string; reason: string } | null {
  const refused = kindOf(field.type).validate?.(value, field)
  if (!refused) return null
  const limit = Object.values(refused.values ?? {}).at(0)
  const rule = RULES[refused.key] ?? `it is not a value of \`${field.type}\``
  return { key: refused.key, reason: limit === undefined ? rule : `${rule} ${limit}` }
}

const ORDERED = new Set(['_lt', '_lte', '_gt', '_gte'])
const UNORDERED: ReadonlySet<string> = new Set(['choice', 'yesNo', 'record', 'words'])

/** An operator that the values of a field have no meaning for. */
export function operatorProblem(field: Field, operator: string): ValueProblem | null {
  const { filter, isText, isLarge } = valueKindOf(field)
  if (operator !== '_null' && operator !== '_empty' && isLarge && !isText && filter === undefined)
    return {
      message: `\`${operator}\` cannot compare a value of \`${field.type}\``,
      hint: 'Use `_null`, or compare another field.',
    }
  if (operator === '_contains' && !isText && filter !== 'contains')
    return {
      message: `\`_contains\` looks for a part of a text, and \`${field.type}\` is not text`,
      hint: filter === 'range' || filter === 'days' ? 'Use `_gte` and `_lte`.' : 'Use `_eq` or `_in`.',
    }
  if (ORDERED.has(operator) && filter !== undefined && UNORDERED.has(filter))
    return {
      message: `\`${operator}\` compares by order, and \`${field.type}\` values have no order`,
      hint: 'Use `_eq` or `_in`.',
    }
  return null
}

type Bound = [operator: string, value: string | number]

/** Two bounds that no value lies between. */
export function rangeProblem(condition: Condition): { operator: string; message: string } | null {
  const bounds = Object.entries(condition).filter(
    (bound): bound is Bound =>
      typeof bound[1] === 'number' || (typeof bound[1] === 'string' && !isVariable(bound[1])),
  )
  const exact = (operator: string) => operator.endsWith('e') || operator === '_eq'
  for (const [low, least] of bounds.filter(([name]) => name === '_gt' || name === '_gte' || name === '_eq'))
    for (const [high, greatest] of bounds.filter(
      ([name]) => name === '_lt' || name === '_lte' || name === '_eq',
    ))
      if (least > greatest || (least === greatest && !(exact(low) && exact(high))))
        return { operator: high, message: `no value is both \`${low}\` ${least} and \`${high}\` ${greatest}` }
  return null
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A value written in a definition that the field never has. */
export function valueProblem(field: Field, value: unknown): ValueProblem | null {
  const { compare, filter, columns } = valueKindOf(field)
  if (value === null || (filter === undefined && compare === 'text')) return null
  if (filter === 'record' && columns.includes('uuid') && !UUID.test(String(value)))
    return {
      message: `\`${String(value)}\` is not the \`id\` of a record, which \`${field.type}\` holds`,
      hint: 'Write its `id`, or filter by a field of the record itself.',
    }
  if (!FITS[compare](value))
    return {
      message: `\`${JSON.stringify(value)}\` is not a value of \`${field.type}\``,
      hint: `Write ${EXPECTED[compare]}.`,
    }
  const choices = kindOf(field.type).choices?.(field)
  if (choices?.isClosed && !choices.known.includes(String(value)))
    return {
      message: `\`${String(value)}\` is not among the values`,
      hint: hintFor(String(value), choices.known),
    }
  return null
}

/** A variable whose value cannot be compared with the field. */
export function variableProblem(
  field: Field,
  variable: string,
  fields: Readonly<Record<string, Field>>,
): ValueProblem | null {
  const { compare } = valueKindOf(field)
  const isTime = compare === 'date' || compare === 'instant'
  if (variable.startsWith('$now') && !isTime)
    return {
      message: `\`${variable}\` is a moment and cannot be compared with \`${field.type}\``,
      hint: `Write ${EXPECTED[compare]}.`,
    }
  if (variable.startsWith('$user') && compare !== 'text')
    return {
      message: `\`${variable}\` is a user and cannot be compared with \`${field.type}\``,
      hint: `Write ${EXPECTED[compare]}.`,
    }
  const other = variable.startsWith('$record.')
    ? ownField({ fields }, variable.slice('$record.'.length))
    : undefined
  return other ? otherFieldProblem(field, variable, other) : null
}

/** Another field whose values cannot be compared with those of the field. */
export function otherFieldProblem(field: Field, variable: string, other: Field): ValueProblem | null {
  const { compare, isList } = valueKindOf(field)
  const isTime = compare === 'date' || compare === 'instant'
  const found = valueKindOf(other).compare
  const isSame =
    valueKindOf(other).isList === isList &&
    (found === compare || (isTime && (found === 'date' || found === 'instant')))
  return isSame
    ? null
    : {
        message: `\`${variable}\` is \`${other.type}\` and cannot be compared with \`${field.type}\``,
        hint: 'Compare fields of one kind.',
      }
}

/** Options of a field that contradict each other. */
export function ownProblems(field: Field): [option: string, problem: ValueProblem][] {
  const problems: [string, ValueProblem][] = []
  const [min, max] = [Reflect.get(field, 'min') as unknown, Reflect.get(field, 'max') as unknown]
  if (typeof min === 'number' && typeof max === 'number' && min > max)
    problems.push([
      'min',
      { message: `\`min\` ${min} is above \`max\` ${max}: no value fits`, hint: 'Swap them.' },
    ])
  if (field.required && field.readonly)
    problems.push([
      'required',
      {
        message: 'the field is `required` and `readonly`: no user can fill it in',
        hint: 'Remove one of the two.',
      },
    ])
  if (field.required && !field.when && Reflect.get(field, 'on_delete') === 'set_null')
    problems.push([
      'on_delete',
      {
        message: 'the field is required, and the deletion of the other record would empty it',
        hint: 'Say `"restrict"` or `"cascade"`, or make the field optional.',
      },
    ])
  const pattern: unknown = Reflect.get(field, 'pattern')
  const longest: unknown = Reflect.get(field, 'max_length')
  if (typeof pattern === 'string' && typeof longest === 'number' && minLength(pattern) > longest)
    problems.push([
      'pattern',
      {
        message: `the pattern asks for ${minLength(pattern)} characters at least, and \`max_length\` is ${longest}`,
        hint: 'Raise `max_length`, or shorten the pattern.',
      },
    ])
  const start: unknown = Reflect.get(field, 'default')
  if (start === undefined || start === null || isVariable(start)) return problems
  const wrong = Array.isArray(start) ? null : valueProblem(field, start)
  const refused = wrong ? null : refusalOf(field, start)
  if (wrong && !kindOf(field.type).choices?.(field)?.isClosed) problems.push(['default', wrong])
  else if (refused && refused.key !== 'choice')
    problems.push([
      'default',
      {
        message: `the default \`${JSON.stringify(start)}\` breaks the rules of the field: ${refused.reason}`,
        hint: 'Change the default or the rule.',
      },
    ])
  return problems
}
