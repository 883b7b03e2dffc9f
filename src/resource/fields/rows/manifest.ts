import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'rows'> = {
  type: 'rows',
  compare: 'text',
  columns: ['jsonb'],
  wide: true,
  empty: [],
  isLarge: true,
  widensSection: true,
}
