import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'

export function Cell({ value }: CellProps<'mac'>) {
  if (typeof value !== 'string' || value === '') return <Blank />
  return <span className="k-mono">{value}</span>
}
