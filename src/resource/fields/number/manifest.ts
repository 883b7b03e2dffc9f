import { checkRange } from '@/resource/fields/check-text'
import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'number'> = {
  type: 'number',
  compare: 'number',
  columns: ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8'],
  filter: 'range',
  align: 'right',
  isSortable: true,
  isKey: true,
  validate: (value, field) => checkRange(value, { ...field, decimals: field.decimals ?? 0 }),
}
