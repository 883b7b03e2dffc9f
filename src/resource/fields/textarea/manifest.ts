import { checkText } from '@/resource/fields/check-text'
import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'textarea'> = {
  type: 'textarea',
  compare: 'text',
  minWidth: 120,
  columns: ['text', 'varchar', 'bpchar', 'citext'],
  filter: 'contains',
  wide: true,
  isText: true,
  keepsSpaces: true,
  isMultiline: true,
  validate: (value, field) => checkText(value, field.max_length),
}
