import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'date'> = {
  type: 'date',
  compare: 'date',
  columns: ['date'],
  filter: 'days',
  validate: (value) => (Number.isNaN(Date.parse(String(value))) ? { key: 'date' } : null),
}
