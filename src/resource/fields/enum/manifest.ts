import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'enum'> = {
  type: 'enum',
  compare: 'text',
  columns: ['text', 'varchar'],
  filter: 'choice',
  validate: (value, field) => (String(value) in field.values ? null : { key: 'choice' }),
}
