import { checkPattern } from '@/resource/fields/check-text'
import type { FieldKind } from '@/resource/fields/kind'

/** Only what is safe to link to: never `javascript:`. */
const WEB_ADDRESS = /^https?:\/\/[^\s/?#]+\S*$/i

export const kind: FieldKind<'url'> = {
  type: 'url',
  compare: 'text',
  minWidth: 120,
  columns: ['text', 'varchar'],
  filter: 'contains',
  isTitle: true,
  isKey: true,
  isText: true,
  validate: (value, field) => checkPattern(value, WEB_ADDRESS, 'url', field.max_length ?? 2000),
}
