import type { FieldFile } from '@/resource/fields/field-file'

export const file: FieldFile<'rows'> = {
  write: (value) =>
    Array.isArray(value) && value.length > 0 ? { kind: 'number', number: value.length } : null,
}
