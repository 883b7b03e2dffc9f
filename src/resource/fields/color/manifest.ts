import { checkPattern } from '@/resource/fields/check-text'
import { toColor } from '@/resource/fields/color/hex'
import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'color'> = {
  type: 'color',
  compare: 'text',
  columns: ['text', 'bpchar', 'varchar'],
  filter: 'choice',
  isText: true,
  validate: (value) => checkPattern(value, /^#[0-9a-f]{6}$/, 'color', 7),
  normalize: toColor,
}
