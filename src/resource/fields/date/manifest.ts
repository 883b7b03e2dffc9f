import type { FieldKind } from '@/resource/fields/kind'
import { isStoredDate } from '@/resource/fields/stored-date'

export const kind: FieldKind<'date'> = {
  type: 'date',
  compare: 'date',
  columns: ['date'],
  filter: 'days',
  isSortable: true,
  isKey: true,
  commitsOnChange: true,
  validate: (value) => (isStoredDate(String(value)) ? null : { key: 'date' }),
}
