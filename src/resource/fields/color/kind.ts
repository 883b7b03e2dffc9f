import type { FieldKind } from '@/resource/fields/kind-interface'
import { checkPattern } from '@/resource/fields/value-checks'

/** `#abc` and `ABCDEF` are colors too; they are stored in the one long form. */
export function toColor(text: string): string {
  const bare = text.trim().toLowerCase().replace(/^#/, '')
  if (/^[0-9a-f]{3}$/.test(bare)) return `#${[...bare].map((digit) => digit + digit).join('')}`
  return /^[0-9a-f]{6}$/.test(bare) ? `#${bare}` : text.trim()
}

export const kind: FieldKind<'color'> = {
  type: 'color',
  compare: 'text',
  columns: ['text', 'bpchar', 'varchar'],
  filter: 'choice',
  isText: true,
  validate: (value) => checkPattern(value, /^#[0-9a-f]{6}$/, 'color', 7),
  normalize: toColor,
}
