import { Blank } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'
import { useValueWord } from '@/resource/language/words'
import { StatusTag } from '@/ui/status-tag'

export function Cell({ value, field, name, resource }: CellProps<'tags'>) {
  const word = useValueWord(resource, name)
  if (!Array.isArray(value) || value.length === 0) return <Blank />
  return (
    <span className="k-tags">
      {value.map(String).map((tag) => (
        // People write their own tags; only a closed list has words of its own.
        <StatusTag key={tag}>{field.closed ? word(tag) : tag}</StatusTag>
      ))}
    </span>
  )
}
