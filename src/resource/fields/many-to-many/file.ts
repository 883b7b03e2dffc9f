import type { Row } from '@/data/rows'
import { writeList } from '@/resource/fields/cell-value'
import type { FieldFile } from '@/resource/fields/field-file'
import { titleIn } from '@/resource/fields/related-titles'

export const file: FieldFile<'many-to-many'> = {
  write: (value, { field, find }) => {
    const target = find(field.to)
    return Array.isArray(value) ? writeList(value.map((other: Row) => titleIn(target, other))) : null
  },
}
