import { checkRange } from '@/resource/fields/check-text'
import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'percent'> = {
  type: 'percent',
  compare: 'number',
  columns: ['int2', 'int4', 'numeric', 'float4', 'float8'],
  filter: 'range',
  align: 'right',
  isSortable: true,
  validate: (value, field) => checkRange(value, { ...field, min: field.min ?? 0, max: field.max ?? 100 }),
}
