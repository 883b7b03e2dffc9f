import type { FieldFile } from '@/resource/fields/field-file'

export const file: FieldFile<'computed'> = {
  write: (_value, { field, writeAs }) => writeAs({ type: field.as ?? 'text' }),
}
