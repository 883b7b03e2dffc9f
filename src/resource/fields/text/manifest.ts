import { checkText } from '@/resource/fields/check-text'
import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'text'> = {
  type: 'text',
  compare: 'text',
  minWidth: 96,
  columns: ['text', 'varchar', 'bpchar', 'citext', 'uuid'],
  filter: 'contains',
  isTitle: true,
  isKey: true,
  isText: true,
  keepsSpaces: true,
  validate: (value, field) => checkText(value, field.max_length, field.pattern),
  choices: ({ suggestions }) => (suggestions ? { known: suggestions, isClosed: false } : null),
  companions: ({ record }) => (record ? [record.table, record.id] : []),
}
