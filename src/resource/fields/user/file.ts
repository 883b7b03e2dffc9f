import type { FieldFile } from '@/resource/fields/field-file'
import { writeRelated } from '@/resource/fields/related-titles'

export const file: FieldFile<'user'> = {
  write: writeRelated,
}
