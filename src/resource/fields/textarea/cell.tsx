import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'
import { Phrase } from '@/resource/fields/phrase'

export function Cell({ value, field, dense }: CellProps<'textarea'>) {
  if (typeof value !== 'string' || value === '') return <Blank />
  return (
    <span className={dense ? 'k-cell-text' : 'k-cell-lines'}>
      {field.phrases ? <Phrase text={value} /> : value}
    </span>
  )
}
