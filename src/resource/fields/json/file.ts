import type { FieldFile } from '@/resource/fields/field-file'
import { InvalidJson } from '@/resource/fields/json/invalid-json'
import { cellText } from '@/resource/fields/read-cell'

export const file: FieldFile<'json'> = {
  read: (cell) => {
    const text = cellText(cell)
    try {
      return { value: JSON.parse(text) }
    } catch (error) {
      return { value: new InvalidJson(text, error instanceof Error ? error.message : '') }
    }
  },
}
