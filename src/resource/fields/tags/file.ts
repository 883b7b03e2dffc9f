import { writeList } from '@/resource/fields/cell-value'
import type { FieldFile } from '@/resource/fields/field-file'
import { cellText } from '@/resource/fields/read-cell'

export const file: FieldFile<'tags'> = {
  write: (value, { field, words, resource, name }) => {
    const tags = Array.isArray(value) ? value.map(String) : []
    return writeList(field.closed ? tags.map((tag) => words.value(resource, name, tag)) : tags)
  },
  read: (cell, { closed }, { choice }) => {
    const words = cellText(cell)
      .split(/[,;\n]/)
      .map((word) => word.trim())
      .filter((word) => word !== '')
    return { value: closed ? words.map((word) => choice(word) ?? word) : words }
  },
}
