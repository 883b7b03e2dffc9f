import type { FieldKind } from '@/resource/fields/kind-interface'
import { checkText } from '@/resource/fields/value-checks'

export const kind: FieldKind<'markdown'> = {
  type: 'markdown',
  compare: 'text',
  minWidth: 120,
  columns: ['text'],
  filter: 'contains',
  wide: true,
  isText: true,
  keepsSpaces: true,
  isLarge: true,
  validate: (value, field) => checkText(value, field.max_length),
}
