import type { FieldKind } from '@/resource/fields/kind-interface'

export const kind: FieldKind<'rows'> = {
  type: 'rows',
  compare: 'text',
  columns: ['jsonb'],
  wide: true,
  empty: [],
  isLarge: true,
  widensSection: true,
  file: {
    write: (value) =>
      Array.isArray(value) && value.length > 0 ? { kind: 'number', number: value.length } : null,
  },
}
