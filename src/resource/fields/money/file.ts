import { writeNumber } from '@/resource/fields/cell-value'
import type { FieldFile } from '@/resource/fields/field-file'
import { readNumber } from '@/resource/fields/read-cell'

export const file: FieldFile<'money'> = {
  unit: ({ currency }) => (currency.startsWith('$') ? undefined : currency),
  beside: ({ currency }) => (currency.startsWith('$record.') ? [currency.slice('$record.'.length)] : []),
  form: 'number',
  write: writeNumber,
  read: readNumber,
}
