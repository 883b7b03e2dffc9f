import { writeNumber } from '@/resource/fields/cell-value'
import type { FieldFile } from '@/resource/fields/field-file'
import { readNumber } from '@/resource/fields/read-cell'

export const file: FieldFile<'percent'> = {
  unit: () => '%',
  form: 'number',
  write: writeNumber,
  read: readNumber,
}
