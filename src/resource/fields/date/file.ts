import { writeText } from '@/resource/fields/cell-value'
import type { FieldFile } from '@/resource/fields/field-file'
import { cellText } from '@/resource/fields/read-cell'
import { parseDay } from '@/resource/fields/written-forms'

export const file: FieldFile<'date'> = {
  form: 'date',
  write: (value) => {
    const text = String(value)
    return /^\d{4}-\d\d-\d\d/.test(text) ? { kind: 'day', day: text.slice(0, 10) } : writeText(text)
  },
  read: (cell, _field, { forms }) => {
    const written = typeof cell === 'number' ? null : parseDay(cellText(cell), forms.date)
    return written ? { value: written.day } : { problem: { key: 'date' } }
  },
}
