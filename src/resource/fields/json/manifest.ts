import { InvalidJson } from '@/resource/fields/json/invalid-json'
import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'json'> = {
  type: 'json',
  compare: 'text',
  minWidth: 96,
  columns: ['jsonb', 'json'],
  wide: true,
  isLarge: true,
  widensSection: true,
  validate: (value) =>
    value instanceof InvalidJson ? { key: 'json', values: { reason: value.reason } } : null,
}
