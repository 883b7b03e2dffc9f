import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'
import { OwnRecordLink } from '@/resource/fields/relation/own-record-link'
import { RecordLink } from '@/resource/fields/relation/record-link'
import { isUnseen, relatedRow } from '@/resource/query/values'

export function Cell({ value, field, name, row, resource }: CellProps<'relation'>) {
  if (typeof value !== 'string' || value === '') return <Blank />
  if (field.to === resource) return <OwnRecordLink resource={resource} id={value} />
  return <RecordLink to={field.to} id={value} row={relatedRow(row, name)} isUnseen={isUnseen(row, name)} />
}
