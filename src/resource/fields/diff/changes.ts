import type { Definition } from '@/resource/definition/definition.generated'
import { singularOf, tableOf } from '@/resource/definition/naming'
import { findDefinition, resourceEntries } from '@/resource/definition/registry'
import { targetOf } from '@/resource/fields/related-field'
import type { RecordReference } from '@/resource/query/use-record-titles'

export interface Change {
  field: string
  before: unknown
  after: unknown
}

/** Columns every row has: they say nothing about what a person changed. */
const GIVEN = new Set(['id', 'company_id', 'created_by'])

function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === null || value === ''
}

/** The changes as the audit log keeps them, in the definition's order of fields; what it does not know follows. */
export function readChanges(value: unknown, definition: Definition | null): Change[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const order = Object.keys(definition?.fields ?? {})
  const place = (field: string) => (order.includes(field) ? order.indexOf(field) : order.length)
  return (
    Object.entries(value)
      .filter(([field]) => !GIVEN.has(field))
      .map(([field, pair]: [string, unknown]) => {
        const [before, after] = Array.isArray(pair) ? (pair as unknown[]) : [undefined, pair]
        return { field, before: before ?? null, after: after ?? null }
      })
      // `{}` and `[]` of a new record are as empty as nothing.
      .filter(({ before, after }) => !(isNothing(before) && isNothing(after)))
      .sort((a, b) => place(a.field) - place(b.field))
  )
}

/** A resource that is a view is written in the tables behind it. */
const BEHIND: Readonly<Record<string, string>> = { user_roles: 'users' }

/** The resource whose rows a table holds, where one does. */
export function definitionOfTable(table: string): Definition | null {
  const named = findDefinition(BEHIND[table] ?? table)
  if (named) return named
  const entry = resourceEntries().find(({ definition }) => definition && tableOf(definition) === table)
  return entry?.definition ?? null
}

/**
 * The resource whose records a changed column holds the keys of: as its field says; or, in a table that has no
 * definition of its own, as the column is called.
 */
export function targetOfChange(definition: Definition | null, column: string): string | null {
  const field = definition?.fields[column]
  if (field) return field.type === 'user' ? 'users' : targetOf(field)
  const named = resourceEntries().find(
    (entry) => entry.definition && `${singularOf(entry.definition)}_id` === column,
  )
  return named?.definition?.name ?? null
}

/** The records that these changes mention. */
export function mentioned(definition: Definition | null, changes: readonly Change[]): RecordReference[] {
  return changes.flatMap(({ field, before, after }) => {
    const resource = targetOfChange(definition, field)
    if (resource === null) return []
    return [before, after].flatMap((id) => (typeof id === 'string' && id !== '' ? [{ resource, id }] : []))
  })
}
