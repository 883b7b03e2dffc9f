import type { FieldFile, FileModule } from '@/resource/fields/field-file'
import type { FieldType } from '@/resource/fields/kind'

const modules = import.meta.glob<FileModule>('./*/file.ts', { eager: true })

const files = new Map(Object.entries(modules).map(([path, { file }]) => [path.split('/')[1], file] as const))
const AS_TEXT: FieldFile = {}

/** How values of a kind are written to and read from files. */
export function fileOf(type: FieldType): FieldFile {
  return files.get(type) ?? AS_TEXT
}
