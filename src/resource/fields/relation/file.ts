import { writeRelated } from '@/resource/export/related-titles'
import type { FieldFile } from '@/resource/fields/field-file'

export const file: FieldFile<'relation'> = {
  write: writeRelated,
}
