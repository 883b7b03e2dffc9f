import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'

export function Cell({ value, dense }: CellProps<'textarea'>) {
  if (typeof value !== 'string' || value === '') return <Blank />
  return <span className={dense ? 'k-cell-text' : 'k-cell-lines'}>{value}</span>
}
