import type { Row } from '@/data/rows'
import { useLanguage } from '@/i18n/use-language'
import { findDefinition } from '@/resource/definition/registry'
import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'
import { RecordLink } from '@/resource/fields/relation/record-link'
import { recordTitle } from '@/resource/query/title'

/** The database joins them in any order. */
function inOrder(rows: readonly Row[], to: string, language: string): Row[] {
  const target = findDefinition(to)
  const title = (row: Row) => (target ? recordTitle(target, row) : String(row.name ?? ''))
  return rows.toSorted((a, b) => title(a).localeCompare(title(b), language))
}

export function Cell({ value, field }: CellProps<'many-to-many'>) {
  const language = useLanguage()
  if (!Array.isArray(value) || value.length === 0) return <Blank />
  const rows = inOrder(value, field.to, language)
  return (
    <span className="k-tags">
      {rows.map((row, index) => (
        <span key={String(row.id)}>
          <RecordLink to={field.to} id={String(row.id)} row={row} />
          {index < rows.length - 1 ? ',' : ''}
        </span>
      ))}
    </span>
  )
}
