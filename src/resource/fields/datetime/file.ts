import { writeText } from '@/resource/fields/cell-value'
import type { FieldFile } from '@/resource/fields/field-file'
import { cellText } from '@/resource/fields/read-cell'
import { parseInstant } from '@/resource/fields/written-forms'

export const file: FieldFile<'datetime'> = {
  form: 'date',
  write: (value) => {
    const at = new Date(String(value))
    return Number.isNaN(at.getTime()) ? writeText(String(value)) : { kind: 'instant', at }
  },
  read: (cell, _field, { forms }) => {
    const at = typeof cell === 'number' ? null : parseInstant(cellText(cell), forms.date)
    return at === null ? { problem: { key: 'date' } } : { value: at }
  },
}
