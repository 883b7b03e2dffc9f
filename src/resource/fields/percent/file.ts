import { writeNumber } from '@/resource/export/cell-value'
import type { FieldFile } from '@/resource/fields/field-file'
import { readNumber } from '@/resource/import/read-cell'

export const file: FieldFile<'percent'> = {
  unit: () => '%',
  form: 'number',
  write: writeNumber,
  read: readNumber,
}
