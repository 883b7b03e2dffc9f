import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'
import { CopyButton } from '@/ui/copy-button'

export function Cell({ value, field, dense }: CellProps<'text'>) {
  if (value === null || value === undefined || value === '') return <Blank />
  if (dense) return <span className="k-cell-text">{String(value)}</span>
  if (!field.copy) return <span className="k-cell-lines">{String(value)}</span>
  return (
    <span className="k-cell-copy">
      <span>{String(value)}</span>
      <CopyButton text={String(value)} iconOnly type="text" size="small" />
    </span>
  )
}
