import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'computed'> = {
  type: 'computed',
  compare: 'text',
  minWidth: 96,
  columns: [],
  derived: true,
}
