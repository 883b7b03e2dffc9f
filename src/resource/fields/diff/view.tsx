import { Blank } from '@/resource/fields/cell-parts'
import { ChangeTable } from '@/resource/fields/diff/change-table'
import { definitionOfTable, mentioned } from '@/resource/fields/diff/changes'
import { readChanges } from '@/resource/fields/diff/kind'
import type { CellProps } from '@/resource/fields/kind-interface'
import { useFieldWord } from '@/resource/language/words'
import { useRecordTitles } from '@/resource/request/query/use-record-titles'
import { useResourceScope } from '@/resource/request/query/use-scope'

/** A list has room for which fields changed; a record says from what to what. */
export function Cell({ value, field, name, resource, row, dense }: CellProps<'diff'>) {
  const table = String(row[field.of ?? 'table_name'] ?? '')
  const definition = definitionOfTable(table)
  const own = definition?.name ?? table
  const word = useFieldWord(own)
  const label = useFieldWord(resource)(name)
  const changes = readChanges(value, definition)
  const records = useRecordTitles(dense ? [] : mentioned(definition, changes), useResourceScope())
  if (changes.length === 0) return <Blank />
  if (dense)
    return <span className="k-cell-text">{changes.map((change) => word(change.field)).join(', ')}</span>
  return (
    <ChangeTable {...{ changes, definition, label, records }} resource={own} action={String(row.action)} />
  )
}
