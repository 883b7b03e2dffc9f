import type { FieldKind } from '@/resource/fields/kind-interface'

export const kind: FieldKind<'computed'> = {
  type: 'computed',
  compare: 'text',
  minWidth: 96,
  columns: [],
  derived: true,
  file: { write: (_value, { field, writeAs }) => writeAs({ type: field.as ?? 'text' }) },
}
