import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'
import { StatusTag } from '@/ui/status-tag'

export function Cell({ value }: CellProps<'tags'>) {
  if (!Array.isArray(value) || value.length === 0) return <Blank />
  return (
    <span className="k-tags">
      {value.map((tag) => (
        <StatusTag key={String(tag)}>{String(tag)}</StatusTag>
      ))}
    </span>
  )
}
