import { checkRange } from '@/resource/fields/check-text'
import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'rating'> = {
  type: 'rating',
  compare: 'number',
  columns: ['int2', 'int4'],
  filter: 'range',
  isSortable: true,
  commitsOnChange: true,
  validate: (value, field) => checkRange(value, { min: 1, max: field.max ?? 5 }),
}
