import { type Change, isNothing } from '@/resource/fields/diff/kind'
import { linkedTo, targetOf } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import { singularOf, tableOf } from '@/resource/language/naming'
import { findDefinition, resourceEntries } from '@/resource/language/registry'
import { matches } from '@/resource/request/filter/predicate'
import type { RecordReference } from '@/resource/request/query/use-record-titles'

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

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The columns that only say which record another field names: their table and key tell a reader nothing. */
function keyColumns(definition: Definition): ReadonlySet<string> {
  return new Set(
    Object.values(definition.fields).flatMap((field) =>
      'record' in field && field.record ? [field.record.table, field.record.id] : [],
    ),
  )
}

/** The whole record, where it was created or deleted; an edit knows only what it changed. */
function wholeRecord(changes: readonly Change[], action: string): Record<string, unknown> | null {
  if (action !== 'create' && action !== 'delete') return null
  return Object.fromEntries(
    changes.map(({ field, before, after }) => [field, action === 'create' ? after : before]),
  )
}

/**
 * The changes that a reader is shown: without keys of what another field names, and without the fields that the
 * record hides, as the weekday of what runs once.
 */
export function shownChanges(
  changes: readonly Change[],
  definition: Definition | null,
  action: string,
): readonly Change[] {
  if (!definition) return changes
  const keys = keyColumns(definition)
  const record = wholeRecord(changes, action)
  return changes
    .filter(({ field }) => {
      if (keys.has(field)) return false
      const when = definition.fields[field]?.when
      if (!record || !when || !Object.keys(when).every((name) => name in record)) return true
      return matches(when, record)
    })
    .map((change) => ({
      ...change,
      before: withoutKind(change.before, change.field, definition),
      after: withoutKind(change.after, change.field, definition),
    }))
    .filter(({ before, after }) => !(isNothing(before) && isNothing(after)))
}

/** A stored `kind` that has a field of its own is shown there, in words. */
function withoutKind(value: unknown, field: string, definition: Definition): unknown {
  if (!isObject(value) || !(`${field}_kind` in definition.fields)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'kind'))
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The records whose keys a changed column lists, as a field of several records does; null where it has anything else. */
function listedRecords(
  definition: Definition | null,
  column: string,
  value: unknown,
): RecordReference[] | null {
  if (!Array.isArray(value) || value.length === 0) return null
  const isKeys = value.every((id) => typeof id === 'string' && UUID.test(id))
  const field = definition?.fields[column]
  const target = field ? linkedTo(field) : targetOfChange(null, column.replace(/_ids$/, '_id'))
  return isKeys && target !== null ? value.map((id: string) => ({ resource: target, id })) : null
}

/**
 * The records that a changed value names: by a list of keys, or by keys such as `device_ids` in a stored object; null
 * where it has anything else.
 */
export function namedRecords(
  value: unknown,
  definition: Definition | null,
  column: string,
): RecordReference[] | null {
  const listed = listedRecords(definition, column, value)
  if (listed || !isObject(value)) return listed
  const references = Object.entries(value).map(([name, ids]) => {
    const resource = name.endsWith('_ids') ? targetOfChange(null, name.slice(0, -1)) : null
    if (resource === null || !Array.isArray(ids)) return null
    return ids.map((id: unknown) => ({ resource, id: String(id) }))
  })
  return references.every((each) => each !== null) ? references.flat() : null
}

/** The records that these changes mention. */
export function mentioned(definition: Definition | null, changes: readonly Change[]): RecordReference[] {
  return changes.flatMap(({ field, before, after }) =>
    [before, after].flatMap((value) => {
      const resource = targetOfChange(definition, field)
      if (resource !== null && typeof value === 'string') return value === '' ? [] : [{ resource, id: value }]
      return definition ? (namedRecords(withoutKind(value, field, definition), definition, field) ?? []) : []
    }),
  )
}
