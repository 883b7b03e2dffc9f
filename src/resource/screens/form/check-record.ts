import type { Row } from '@/data/rows'
import type { FieldProblem } from '@/resource/fields/kind-interface'
import { kindOf } from '@/resource/fields/kinds'
import type { Condition, Definition, Field } from '@/resource/language/definition.generated'
import { embedKey } from '@/resource/language/embed-keys'
import { splitCheck } from '@/resource/request/filter/mentioned-fields'
import { compareKinds, matches, passes } from '@/resource/request/filter/predicate'
import type { FilterScope } from '@/resource/request/filter/scope'

export function isBlank(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === ''
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0)
}

/** Whether the form shows the field for the record's current values. */
export function isShown(definition: Definition, name: string, record: Row, scope: FilterScope): boolean {
  const when = definition.fields[name]?.when
  return when === undefined || matches(when, record, scope, compareKinds(definition))
}

function isOrder(operator: string): boolean {
  return ['_eq', '_neq', '_lt', '_lte', '_gt', '_gte'].includes(operator)
}

function failedOperator(
  definition: Definition,
  name: string,
  check: Condition,
  record: Row,
  scope: FilterScope,
): FieldProblem | null {
  for (const [operator, value] of Object.entries(check)) {
    const single: Condition = { [operator]: value }
    if (passes(name, single, record, scope, compareKinds(definition))) continue
    return isOrder(operator) ? { key: operator, values: { value: String(value) } } : { key: 'other' }
  }
  return null
}

/** The comparison with another field that a constraint of the database refused; null for a field without one. */
export function crossCheck(definition: Definition, name: string, constraint?: string): FieldProblem | null {
  const { own, related } = splitCheck(definition.fields[name]?.check)
  const check = constraint?.endsWith('_check03')
    ? related.map((each): [string, string] => [each.operator, `$record.${each.relation}.${each.name}`])
    : Object.entries(own)
  const cross = check.find(([operator, value]) => isOrder(operator) && String(value).startsWith('$record.'))
  return cross ? { key: cross[0], values: { value: String(cross[1]) } } : null
}

/** The first problem of one field. */
export function checkField(
  definition: Definition,
  name: string,
  record: Row,
  scope: FilterScope,
): FieldProblem | null {
  const field = definition.fields[name]
  if (!field || !isShown(definition, name, record, scope)) return null
  const value = record[name]
  if (isBlank(value)) return field.required ? { key: 'required', values: { field: name } } : null
  const kind = kindOf(field.type)
  const by = kind.checkedBy?.(field as never)
  const other = by && (record[embedKey(by.relation)] as Row | null | undefined)
  const own =
    kind.validate?.(value, field as never, by && other?.[by.name]) ?? rowsProblem(field, value, scope)
  if (own) return own
  return field.check ? failedOperator(definition, name, field.check, record, scope) : null
}

/** The rows of an inner table are validated as records of their own small definition. */
function rowsProblem(field: Field, value: unknown, scope: FilterScope): FieldProblem | null {
  if (field.type !== 'rows' || !Array.isArray(value)) return null
  const inner: Definition = { name: '', fields: field.fields }
  for (const [index, row] of value.entries()) {
    for (const name of Object.keys(field.fields)) {
      // A key is made when the row is saved.
      if (field.keys?.[name] !== undefined) continue
      const problem = checkField(inner, name, row as Row, scope)
      if (problem) return { key: problem.key, values: { ...problem.values, row: index + 1, column: name } }
    }
  }
  return null
}
