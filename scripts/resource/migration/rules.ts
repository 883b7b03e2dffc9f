import { kindOf } from '@/resource/fields/kinds'
import type { Rules } from '@/resource/fields/script-interface'
import type { Field } from '@/resource/language/definition.generated'
import { literal } from './sql'

function option(field: Field, key: string): unknown {
  return Reflect.get(field, key)
}

function numberOption(field: Field, key: string): number | undefined {
  const value = option(field, key)
  return typeof value === 'number' ? value : undefined
}

function withoutGaps(rules: Record<string, unknown>): Rules {
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined))
}

/** The rules that a definition states for a field; what its kind implies beside them is in `columns.ts`. */
export function rulesOf(field: Field): Rules {
  const maxLength = numberOption(field, 'max_length')
  const pattern = option(field, 'pattern')
  return withoutGaps({
    minLength: field.required && !field.when && kindOf(field.type).keepsSpaces ? 1 : undefined,
    maxLength,
    values: field.type === 'enum' ? Object.keys(field.values) : undefined,
    min: numberOption(field, 'min'),
    max: numberOption(field, 'max'),
    pattern: typeof pattern === 'string' ? pattern : undefined,
  })
}

function between(what: string, least: number | undefined, most: number | undefined): string[] {
  if (least !== undefined && most !== undefined) return [`${what} between ${least} and ${most}`]
  if (least !== undefined) return [`${what} >= ${least}`]
  return most === undefined ? [] : [`${what} <= ${most}`]
}

/** As Postgres prints it, so that the two can be compared. */
function oneOf(column: string, values: readonly string[]): string {
  return values.length === 1
    ? `${column} = ${literal(values[0])}`
    : `${column} in (${values.map(literal).join(', ')})`
}

/** The rules as conditions of a check constraint. */
export function rulesSql(column: string, rules: Rules): string[] {
  const { minLength, maxLength, values, min, max, pattern } = rules
  return [
    ...between(
      minLength === undefined ? `length(${column})` : `length(btrim(${column}))`,
      minLength,
      maxLength,
    ),
    ...(values ? [oneOf(column, values)] : []),
    ...between(column, min, max),
    ...(pattern === undefined ? [] : [`${column} ~ ${literal(pattern)}`]),
  ]
}

const COMPARE =
  /\(*(?:length\()?(?:btrim\()?\(?"?(\w+)"?\)?(?:::text)?\)*\s*(>=|<=|>|<)\s*\(?'?(-?\d+(?:\.\d+)?)'?\)?/g

/** `> 0` on two decimals is `>= 0.01`: a definition states bounds that are included. */
function bound(digits: string, operator: string, decimals: number): number {
  if (operator.endsWith('=')) return Number(digits)
  const step = 10 ** -decimals
  return Number((Number(digits) + (operator === '>' ? step : -step)).toFixed(decimals))
}

/**
 * Reads back what Postgres prints of a check constraint. What it cannot read it leaves out, so that only a rule that
 * was understood is ever compared.
 * @param decimals what the column stores behind the point
 */
export function rulesFromChecks(column: string, checks: readonly string[], decimals = 0): Rules {
  const rules: { -readonly [Key in keyof Rules]: Rules[Key] } = {}
  for (const check of checks) {
    for (const match of check.matchAll(COMPARE)) {
      const [text, name, operator = '', digits = ''] = match
      if (name !== column) continue
      const isLength = text.includes('length(')
      const isLeast = operator.startsWith('>')
      if (isLength) rules[isLeast ? 'minLength' : 'maxLength'] = bound(digits, operator, 0)
      else rules[isLeast ? 'min' : 'max'] = bound(digits, operator, decimals)
    }
    const values = valuesOf(column, check)
    if (values) rules.values = values
    const pattern = new RegExp(`\\(?"?${column}"?\\)? ~ '((?:[^']|'')*)'::text`).exec(check)?.[1]
    if (pattern !== undefined) rules.pattern = pattern.replaceAll("''", "'")
  }
  return rules
}

function valuesOf(column: string, check: string): string[] | undefined {
  const listed = new RegExp(`"?\\b${column}"?\\)?(?:::text)? = ANY \\(+(?:ARRAY\\[)(.*?)\\]`, 's').exec(
    check,
  )?.[1]
  if (listed !== undefined)
    return [...listed.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value.replaceAll("''", "'"))
  const single = new RegExp(`^CHECK \\(+"?${column}"? = '((?:[^']|'')*)'::text\\)+$`).exec(check)?.[1]
  return single === undefined ? undefined : [single.replaceAll("''", "'")]
}
