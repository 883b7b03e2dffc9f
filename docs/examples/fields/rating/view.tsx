import { Blank } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'

export function Cell({ value, field }: CellProps<'rating'>) {
  if (typeof value !== 'number') return <Blank />
  const max = field.max ?? 5
  return (
    <span role="img" aria-label={`${value}/${max}`}>
      {'★'.repeat(value) + '☆'.repeat(max - value)}
    </span>
  )
}
