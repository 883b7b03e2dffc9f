import { Blank } from '@/resource/fields/blank'
import { ChangeTable } from '@/resource/fields/diff/change-table'
import { definitionOfTable, readChanges } from '@/resource/fields/diff/changes'
import type { CellProps } from '@/resource/fields/kind'
import { useFieldWord } from '@/resource/words'

/** A list has room for which fields changed; a record says from what to what. */
export function Cell({ value, field, name, resource, row, dense }: CellProps<'diff'>) {
  const table = String(row[field.of ?? 'table_name'] ?? '')
  const definition = definitionOfTable(table)
  const own = definition?.name ?? table
  const word = useFieldWord(own)
  const label = useFieldWord(resource)(name)
  const changes = readChanges(value, definition)
  if (changes.length === 0) return <Blank />
  if (dense)
    return <span className="k-cell-text">{changes.map((change) => word(change.field)).join(', ')}</span>
  return <ChangeTable changes={changes} definition={definition} resource={own} label={label} />
}
