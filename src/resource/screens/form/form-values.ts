import i18next from 'i18next'
import type { Row } from '@/data/rows'
import { asLanguage } from '@/i18n/language'
import { editableFields, kindOf } from '@/resource/fields/kinds'
import { hasKeys, withKeys } from '@/resource/fields/rows/row-keys'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { type FilterScope, resolveValue } from '@/resource/request/filter/scope'
import { titleFields } from '@/resource/request/query/title'
import { readValue } from '@/resource/request/query/values'
import { isShown } from '@/resource/screens/form/check-record'

function localDay(instant: string): string {
  const day = new Date(instant)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

function defaultOf(field: Field, scope: FilterScope): unknown {
  const language = asLanguage(i18next.language)
  const isLanguage = 'languages' in field && field.languages === true
  if (isLanguage && kindOf(field.type).choices?.(field)?.known.includes(language)) return language
  const given = 'default' in field ? field.default : undefined
  if (typeof given !== 'string') return given ?? kindOf(field.type).empty ?? null
  const value = resolveValue(given, scope)
  // `$now` is an instant; a day is the reader's own.
  return kindOf(field.type).compare === 'date' && given.startsWith('$now') ? localDay(String(value)) : value
}

/** The initial values of an empty form. */
export function newValues(definition: Definition, scope: FilterScope): Row {
  return Object.fromEntries(
    editableFields(definition).flatMap((name) => {
      const field = definition.fields[name]
      return field ? [[name, defaultOf(field, scope)] as const] : []
    }),
  )
}

/**
 * The initial values of a duplicate: the record's own, with its title marked as a copy. A title with a fixed
 * format, such as a serial number, is left empty.
 */
export function duplicateValues(definition: Definition, row: Row, mark: string): Row {
  const values = recordValues(definition, row)
  // A file belongs to one record.
  for (const name of Object.keys(values)) {
    const field = definition.fields[name]
    if (field && kindOf(field.type).isUpload) values[name] = null
  }
  for (const name of titleFields(definition)) {
    const field = definition.fields[name]
    const value = values[name]
    if (field?.type !== 'text' || typeof value !== 'string') continue
    if (field.pattern !== undefined) values[name] = null
    else values[name] = `${value.slice(0, (field.max_length ?? 255) - mark.length - 1)} ${mark}`
    break
  }
  return values
}

/** The form values of a record. Related records are ids. */
export function recordValues(definition: Definition, row: Row): Row {
  return Object.fromEntries(
    editableFields(definition).map((name) => {
      const field = definition.fields[name]
      const value = readValue(row, name, field)
      if (field && kindOf(field.type).detached && Array.isArray(value))
        return [name, value.map((other: Row) => String(other.id))]
      return [name, value ?? null]
    }),
  )
}

/** An emptied text becomes null: the database has only one empty value. */
function normal(value: unknown): unknown {
  if (typeof value === 'string') return value.trim() === '' ? null : value
  return value ?? null
}

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return JSON.stringify([...a].sort()) === JSON.stringify([...b].sort())
}

/** JSON has no order of keys; two objects with the same contents are the same value. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, canonical(inner)]),
  )
}

export function sameValue(field: Field | undefined, a: unknown, b: unknown): boolean {
  if (field && kindOf(field.type).detached)
    return sameList(Array.isArray(a) ? a : [], Array.isArray(b) ? b : [])
  return JSON.stringify(canonical(normal(a))) === JSON.stringify(canonical(normal(b)))
}

/** The fields whose values differ: what is dirty, what is sent, and what a colleague changed. */
export function changedFields(definition: Definition, before: Row, after: Row): string[] {
  return editableFields(definition).filter(
    (name) => name in after && !sameValue(definition.fields[name], before[name], after[name]),
  )
}

/** The changed fields to write: without those that other values hide, or that this user may only read. */
export function writtenFields(
  definition: Definition,
  changed: readonly string[],
  values: Row,
  scope: FilterScope,
  refused: ReadonlySet<string>,
): string[] {
  return changed.filter((name) => !refused.has(name) && isShown(definition, name, values, scope))
}

/**
 * The columns of a new record. Fields that were empty from the start are omitted, so that the database
 * applies its defaults.
 */
export function filledValues(columns: Row, base: Row): Row {
  return Object.fromEntries(
    Object.entries(columns).filter(([name, value]) => value !== null || normal(base[name]) !== null),
  )
}

/** The columns to write. Fields of other tables are written separately. */
export function columnValues(definition: Definition, names: readonly string[], values: Row): Row {
  return Object.fromEntries(
    names
      .filter((name) => {
        const field = definition.fields[name]
        return field !== undefined && kindOf(field.type).detached !== true
      })
      .map((name) => {
        const field = definition.fields[name]
        const value = normal(values[name])
        return [name, hasKeys(field) && Array.isArray(value) ? withKeys(field, value) : value]
      }),
  )
}

/**
 * Applies my changes to their version: my value where I changed a field, theirs elsewhere. No value that
 * nobody chose overwrites either side's work.
 */
export function mergeMine(definition: Definition, base: Row, mine: Row, theirs: Row): Row {
  const touched = new Set(changedFields(definition, base, mine))
  return Object.fromEntries(
    editableFields(definition).map((name) => [name, touched.has(name) ? mine[name] : theirs[name]]),
  )
}
