import { Suspense } from 'react'
import { Blank } from '@/resource/fields/cell-parts'
import { definitionOfTable } from '@/resource/fields/diff/changes'
import { readChanges } from '@/resource/fields/diff/kind'
import type { CellProps } from '@/resource/fields/kind-interface'
import { useFieldWord } from '@/resource/language/words'
import { lazyPart } from '@/ui/load-chunk'

// A record alone shows from what to what, so that lists do not load the table.
const ChangedFields = lazyPart(() =>
  import('@/resource/fields/diff/changed-fields').then((module) => ({ default: module.ChangedFields })),
)

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
  return (
    <Suspense fallback={null}>
      <ChangedFields {...{ changes, definition, label }} resource={own} action={String(row.action)} />
    </Suspense>
  )
}
