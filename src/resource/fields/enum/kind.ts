import { CHOICE_FILE } from '@/resource/fields/file-values'
import type { FieldKind } from '@/resource/fields/kind-interface'

export const kind: FieldKind<'enum'> = {
  type: 'enum',
  compare: 'text',
  columns: ['text', 'varchar'],
  filter: 'choice',
  isKey: true,
  commitsOnChange: true,
  validate: (value, field) => (Object.hasOwn(field.values, String(value)) ? null : { key: 'choice' }),
  choices: ({ values }) => ({ known: Object.keys(values), isClosed: true }),
  file: CHOICE_FILE,
}
