import { checkPattern } from '@/resource/fields/check-text'
import type { FieldKind } from '@/resource/fields/kind'

const MAC = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i

export const kind: FieldKind<'mac'> = {
  type: 'mac',
  compare: 'text',
  columns: ['text', 'macaddr'],
  filter: 'contains',
  isTitle: true,
  isKey: true,
  isText: true,
  validate: (value) => checkPattern(value, MAC, 'mac', 23),
}
