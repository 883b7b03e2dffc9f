import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'datetime'> = {
  type: 'datetime',
  compare: 'instant',
  columns: ['timestamptz'],
  filter: 'days',
  validate: (value) => (Number.isNaN(Date.parse(String(value))) ? { key: 'date' } : null),
}
