import { writeList } from '@/resource/fields/cell-value'
import { definitionOfTable, readChanges } from '@/resource/fields/diff/changes'
import type { FieldFile } from '@/resource/fields/field-file'

export const file: FieldFile<'diff'> = {
  write: (value, { field, row, words }) => {
    const definition = definitionOfTable(String(row[field.of ?? 'table_name'] ?? ''))
    const changes = readChanges(value, definition)
    return writeList(
      changes.map((change) => (definition ? words.field(definition, change.field) : change.field)),
    )
  },
}
