import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'boolean'> = {
  type: 'boolean',
  compare: 'boolean',
  columns: ['bool'],
  filter: 'boolean',
  empty: false,
}
