import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'diff'> = {
  type: 'diff',
  compare: 'text',
  columns: ['jsonb'],
  wide: true,
  derived: true,
}
