import { NUMBER_FILE } from '@/resource/fields/file-values'
import type { FieldKind } from '@/resource/fields/kind-interface'
import { checkRange } from '@/resource/fields/value-checks'

export const kind: FieldKind<'rating'> = {
  type: 'rating',
  compare: 'number',
  columns: ['int2', 'int4'],
  filter: 'range',
  isSortable: true,
  commitsOnChange: true,
  validate: (value, field) => checkRange(value, { min: 1, max: field.max ?? 5 }),
  file: NUMBER_FILE,
}
