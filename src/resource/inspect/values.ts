import type { CompareAs } from '@/resource/definition/compare-as'
import type { Field } from '@/resource/definition/definition.generated'
import { kindOf, valueKindOf } from '@/resource/fields/kinds'
import { isStoredDate } from '@/resource/fields/stored-date'
import { isVariable } from '@/resource/filter/scope'
import { hintFor } from '@/resource/inspect/hint'

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

const ORDERED = new Set(['_lt', '_lte', '_gt', '_gte'])
const UNORDERED: ReadonlySet<string> = new Set(['choice', 'yesNo', 'record', 'words'])

/** An operator that the values of a field have no meaning for. */
export function operatorProblem(field: Field, operator: string): ValueProblem | null {
  const { filter, isText } = valueKindOf(field)
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

/** A value written in a definition that the field never has. */
export function valueProblem(field: Field, value: unknown): ValueProblem | null {
  const { compare, filter } = valueKindOf(field)
  if (value === null || (filter === undefined && compare === 'text')) return null
  if (!FITS[compare](value))
    return {
      message: `\`${JSON.stringify(value)}\` is not a value of \`${field.type}\``,
      hint: `Write ${EXPECTED[compare]}.`,
    }
  const choices = kindOf(field.type).choices?.(field)
  if (choices?.isClosed && !choices.known.includes(String(value)))
    return {
      message: `\`${String(value)}\` is not among the values`,
      hint:
        hintFor(String(value), choices.known) ??
        `They are ${choices.known.map((each) => `\`${each}\``).join(', ')}.`,
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
  const other = variable.startsWith('$record.') ? fields[variable.slice('$record.'.length)] : undefined
  if (!other) return null
  const found = valueKindOf(other).compare
  const isSame = found === compare || (isTime && (found === 'date' || found === 'instant'))
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
        message: 'the field is required and read-only: no user can fill it in',
        hint: 'Remove one of the two.',
      },
    ])
  const start: unknown = Reflect.get(field, 'default')
  if (start === undefined || start === null || isVariable(start)) return problems
  const wrong = Array.isArray(start) ? null : valueProblem(field, start)
  const refused = wrong ? null : kindOf(field.type).validate?.(start, field)
  if (wrong && !kindOf(field.type).choices?.(field)?.isClosed) problems.push(['default', wrong])
  else if (refused && refused.key !== 'choice')
    problems.push([
      'default',
      {
        message: `the default \`${JSON.stringify(start)}\` breaks the rules of the field (${refused.key})`,
        hint: 'Change the default or the rule.',
      },
    ])
  return problems
}
