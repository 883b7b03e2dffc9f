import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'

export function Cell({ value }: CellProps<'email'>) {
  if (typeof value !== 'string' || value === '') return <Blank />
  return <a href={`mailto:${value}`}>{value}</a>
}
