import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'many-to-many'> = {
  type: 'many-to-many',
  compare: 'text',
  minWidth: 104,
  columns: [],
  filter: 'record',
  wide: true,
  detached: true,
  empty: [],
  isList: true,
  target: (field) => field.to,
}
