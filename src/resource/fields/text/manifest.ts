import { checkText } from '@/resource/fields/check-text'
import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'text'> = {
  type: 'text',
  compare: 'text',
  minWidth: 96,
  columns: ['text', 'varchar', 'uuid'],
  filter: 'contains',
  validate: (value, field) => checkText(value, field.max_length, field.pattern),
}
