import { checkRange } from '@/resource/fields/check-text'
import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'duration'> = {
  type: 'duration',
  compare: 'number',
  columns: ['int4', 'int8', 'numeric'],
  filter: 'range',
  align: 'right',
  isSortable: true,
  validate: (value, field) => checkRange(value, { ...field, decimals: 0, min: field.min ?? 0 }),
}
