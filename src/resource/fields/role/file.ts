import { writeText } from '@/resource/fields/cell-value'
import type { FieldFile } from '@/resource/fields/field-file'
import { cellText, withoutGuard } from '@/resource/fields/read-cell'

export const file: FieldFile<'role'> = {
  write: (value, { words, resource, name }) => writeText(words.value(resource, name, String(value))),
  read: (cell, _field, { choice }) => {
    const value = choice(withoutGuard(cellText(cell)).trim())
    return value === undefined ? { problem: { key: 'choice' } } : { value }
  },
}
