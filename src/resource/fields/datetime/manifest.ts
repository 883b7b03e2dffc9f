import type { FieldKind } from '@/resource/fields/kind'
import { isStoredDate } from '@/resource/fields/stored-date'

export const kind: FieldKind<'datetime'> = {
  type: 'datetime',
  compare: 'instant',
  columns: ['timestamptz'],
  filter: 'days',
  isSortable: true,
  commitsOnChange: true,
  validate: (value) => (isStoredDate(String(value)) ? null : { key: 'datetime' }),
}
