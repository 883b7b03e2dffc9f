import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'
import { RecordLink } from '@/resource/fields/relation/record-link'

export function Cell({ value, field }: CellProps<'many-to-many'>) {
  if (!Array.isArray(value) || value.length === 0) return <Blank />
  return (
    <span className="k-tags">
      {value.map((row: Record<string, unknown>, index) => (
        <span key={String(row.id)}>
          <RecordLink to={field.to} id={String(row.id)} row={row} />
          {index < value.length - 1 ? ',' : ''}
        </span>
      ))}
    </span>
  )
}
