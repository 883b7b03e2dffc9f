import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'diff'> = {
  type: 'diff',
  compare: 'text',
  minWidth: 120,
  columns: ['jsonb'],
  wide: true,
  derived: true,
  isLarge: true,
  widensSection: true,
  references: ({ of = 'table_name' }) => [['of', of]],
}
