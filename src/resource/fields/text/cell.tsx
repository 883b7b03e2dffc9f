import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useCan } from '@/access/use-can'
import { hasShow, showPath } from '@/resource/definition/naming'
import { Blank } from '@/resource/fields/blank'
import { definitionOfTable } from '@/resource/fields/diff/changes'
import type { CellProps } from '@/resource/fields/kind'
import { Phrase } from '@/resource/fields/phrase'
import { CopyButton } from '@/ui/copy-button'

export function Cell({ value, field, row, dense }: CellProps<'text'>) {
  if (value === null || value === undefined || value === '') return <Blank />
  const shown = field.phrases ? <Phrase text={String(value)} /> : String(value)
  if (field.record)
    return (
      <LinkedText text={shown} table={String(row[field.record.table])} id={String(row[field.record.id])} />
    )
  if (dense) return <span className="k-cell-text">{shown}</span>
  if (!field.copy) return <span className="k-cell-lines">{shown}</span>
  return (
    <span className="k-cell-copy">
      <span>{String(value)}</span>
      <CopyButton text={String(value)} iconOnly type="text" size="small" />
    </span>
  )
}

function LinkedText({ text, table, id }: { text: ReactNode; table: string; id: string }) {
  const can = useCan()
  const target = definitionOfTable(table)
  if (!target || !hasShow(target) || !can(target.name, 'show').allowed)
    return <span className="k-cell-text">{text}</span>
  return (
    <Link className="k-cell-text" to={showPath(target, id)}>
      {text}
    </Link>
  )
}
