import { Blank } from '@/resource/fields/blank'
import { useFieldLinks } from '@/resource/fields/field-links'
import type { CellProps } from '@/resource/fields/kind'

export function Cell({ value }: CellProps<'email'>) {
  const isLinked = useFieldLinks()
  if (typeof value !== 'string' || value === '') return <Blank />
  if (!isLinked) return <span>{value}</span>
  return <a href={`mailto:${value}`}>{value}</a>
}
