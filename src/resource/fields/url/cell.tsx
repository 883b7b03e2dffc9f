import { Blank } from '@/resource/fields/blank'
import { useFieldLinks } from '@/resource/fields/field-links'
import type { CellProps } from '@/resource/fields/kind'

export function Cell({ value }: CellProps<'url'>) {
  const isLinked = useFieldLinks()
  if (typeof value !== 'string' || value === '') return <Blank />
  // A stored `javascript:` address is shown, never linked.
  if (!isLinked || !/^https?:/i.test(value)) return <span>{value}</span>
  return (
    <a href={value} target="_blank" rel="noreferrer noopener">
      {value.replace(/^https?:\/\//i, '')}
    </a>
  )
}
