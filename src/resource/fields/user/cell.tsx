import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'
import { RecordLink } from '@/resource/fields/relation/record-link'
import { isUnseen, relatedRow } from '@/resource/query/values'

export function Cell({ value, name, row }: CellProps<'user'>) {
  if (typeof value !== 'string' || value === '') return <Blank />
  return <RecordLink to="users" id={value} row={relatedRow(row, name)} isUnseen={isUnseen(row, name)} />
}
