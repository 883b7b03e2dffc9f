import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'user'> = {
  type: 'user',
  compare: 'text',
  minWidth: 104,
  columns: ['uuid'],
  filter: 'record',
  commitsOnChange: true,
  target: () => 'profiles',
}
