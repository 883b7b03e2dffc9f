import { isDotted, relatedField } from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { embedKey, firstRow, isRow, sourceKey } from '@/resource/language/embed-keys'
import type { FindDefinition } from '@/resource/language/entry'

type Row = Record<string, unknown>

/** The value of a field in a fetched row, wherever the request put it. */
export function readValue(row: Row, name: string, field: Field | undefined): unknown {
  if (field?.from) return firstRow(row[sourceKey(field.from.table)])?.[field.from.column] ?? null
  if (field?.type === 'many-to-many') return relatedRows(row, name)
  return row[name]
}

/** The record a relation points at, as far as it was fetched; null when empty or not visible to the user. */
export function relatedRow(row: Row, name: string): Row | null {
  return firstRow(row[embedKey(name)])
}

/** Whether a record is pointed at that the user may not see: it was asked for, and the answer is empty. */
export function isUnseen(row: Row, name: string): boolean {
  const embedded = row[embedKey(name)]
  return embedded === null || (Array.isArray(embedded) && embedded.length === 0)
}

/** As `readValue`, by a name that may be dotted. */
export function readPath(definition: Definition, row: Row, path: string, find: FindDefinition): unknown {
  if (!isDotted(path)) return readValue(row, path, definition.fields[path])
  const related = relatedField(definition, path, find)
  return related ? relatedRow(row, related.relation)?.[related.name] : undefined
}

function relatedRows(row: Row, name: string): Row[] {
  const links: unknown = row[embedKey(name)]
  if (!Array.isArray(links)) return []
  return links.flatMap((link: unknown) => {
    const target = isRow(link) ? firstRow(link.row) : null
    return target ? [target] : []
  })
}
