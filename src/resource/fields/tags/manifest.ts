import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'tags'> = {
  type: 'tags',
  compare: 'text',
  columns: ['_text', 'jsonb'],
  empty: [],
}
