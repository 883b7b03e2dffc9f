import { checkText } from '@/resource/fields/check-text'
import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'code'> = {
  type: 'code',
  compare: 'text',
  columns: ['text'],
  filter: 'contains',
  wide: true,
  isText: true,
  keepsSpaces: true,
  isLarge: true,
  widensSection: true,
  follows: ['language'],
  validate: (value, field) => checkText(value, field.max_length),
}
