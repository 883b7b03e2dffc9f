import type { Rules } from '@/resource/fields/script-interface'
import { sqlOf } from '@/resource/fields/scripts'
import type { Field } from '@/resource/language/definition.generated'
import { rulesOf, rulesSql } from './rules'
import { literal } from './sql'

export interface ColumnPlan {
  name: string
  type: string
  notNull: boolean
  /** An expression; null for none. */
  defaultTo: string | null
  /** Conditions of one check constraint. */
  checks: string[]
  /** The rules among them, and what the kind itself asks of a value. */
  rules: Rules
  formats: string[]
}

function defaultOf(field: Field): string | null {
  const value: unknown = Reflect.get(field, 'default')
  if (value === undefined || value === null) return null
  const { now = 'now()', defaultText } = sqlOf(field.type)
  if (value === '$now') return now
  if (value === '$user' || value === '$user.id') return 'app.current_user_id()'
  // Other variables are the form's to fill in.
  if (typeof value === 'string' && /^\$(user|now|record)\b/.test(value)) return null
  return literal(defaultText ? defaultText(value) : value)
}

/** Whether a field has a column in the resource's own table that a generator can write. */
export function hasOwnColumn(field: Field): boolean {
  return sqlOf(field.type).column !== undefined && field.from === undefined
}

/** The column behind a field. @throws for a kind without a column. */
export function columnOf(name: string, field: Field): ColumnPlan {
  const kind = sqlOf(field.type).column?.(field)
  if (!kind) throw new Error(`A field of type ${field.type} has no column to write.`)
  // The database knows the author of a record, whatever a request says.
  const isAuthor = field.type === 'user' && field.readonly && name === 'created_by'
  const defaultTo = isAuthor ? 'app.current_user_id()' : (defaultOf(field) ?? kind.empty ?? null)
  const rules = { ...kind.implied, ...rulesOf(field) }
  const formats = kind.checks?.(name) ?? []
  return {
    name,
    type: kind.type,
    notNull: kind.empty !== undefined || (field.required === true && !field.when && !field.readonly),
    defaultTo,
    checks: [...rulesSql(name, rules), ...formats, ...(kind.limits?.(name) ?? [])],
    rules,
    formats,
  }
}
