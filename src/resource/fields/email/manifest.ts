import { checkPattern } from '@/resource/fields/check-text'
import type { FieldKind } from '@/resource/fields/kind'

/** Mail servers take these addresses in practice; the mail that arrives is the real check. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

export const kind: FieldKind<'email'> = {
  type: 'email',
  compare: 'text',
  minWidth: 120,
  columns: ['text', 'varchar'],
  filter: 'contains',
  isTitle: true,
  isKey: true,
  isText: true,
  validate: (value, field) => checkPattern(value, EMAIL, 'email', field.max_length ?? 255),
}
