import { writeList } from '@/resource/fields/file-values'
import type { FieldKind } from '@/resource/fields/kind-interface'
import type { Definition } from '@/resource/language/definition.generated'

export interface Change {
  field: string
  before: unknown
  after: unknown
}

/** Columns every row has: they say nothing about what a person changed. */
const GIVEN = new Set(['id', 'company_id', 'created_by'])

export function isNothing(value: unknown): boolean {
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

export const kind: FieldKind<'diff'> = {
  type: 'diff',
  compare: 'text',
  minWidth: 120,
  columns: ['jsonb'],
  wide: true,
  derived: true,
  isLarge: true,
  widensSection: true,
  references: ({ of = 'table_name' }) => [['of', of]],
  file: {
    write: (value, { field, row, words, definitionOfTable }) => {
      const definition = definitionOfTable(String(row[field.of ?? 'table_name'] ?? ''))
      const changes = readChanges(value, definition)
      return writeList(
        changes.map((change) => (definition ? words.field(definition, change.field) : change.field)),
      )
    },
  },
}
