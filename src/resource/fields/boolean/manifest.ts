import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'boolean'> = {
  type: 'boolean',
  compare: 'boolean',
  columns: ['bool'],
  filter: 'yesNo',
  empty: false,
  commitsOnChange: true,
}
