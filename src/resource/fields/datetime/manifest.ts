import type { FieldKind } from '@/resource/fields/kind'
import { isStoredDate } from '@/resource/fields/stored-date'

export const kind: FieldKind<'datetime'> = {
  type: 'datetime',
  compare: 'instant',
  columns: ['timestamptz'],
  filter: 'days',
  isSortable: true,
  commitsOnChange: true,
  companions: ({ local_when }) => (local_when ? [local_when] : []),
  validate: (value) => (isStoredDate(String(value)) ? null : { key: 'datetime' }),
}
