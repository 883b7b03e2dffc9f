import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'relation'> = {
  type: 'relation',
  compare: 'text',
  minWidth: 104,
  columns: ['uuid', 'text'],
  filter: 'record',
  isKey: true,
  commitsOnChange: true,
  target: (field) => field.to,
}
