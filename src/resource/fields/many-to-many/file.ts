import type { Row } from '@/data/rows'
import { writeList } from '@/resource/export/cell-value'
import { titleIn } from '@/resource/export/related-titles'
import type { FieldFile } from '@/resource/fields/field-file'

export const file: FieldFile<'many-to-many'> = {
  write: (value, { field, find }) => {
    const target = find(field.to)
    return Array.isArray(value) ? writeList(value.map((other: Row) => titleIn(target, other))) : null
  },
}
