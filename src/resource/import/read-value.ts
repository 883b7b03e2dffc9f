import type { Field } from '@/resource/definition/definition.generated'
import type { ReadValue, ValueReader } from '@/resource/fields/field-file'
import type { Cell } from '@/resource/fields/file-table'
import { fileOf } from '@/resource/fields/files'
import { kindOf } from '@/resource/fields/kinds'
import { cellText, withoutGuard } from '@/resource/fields/read-cell'

/** Reads the cell's value for the field. Whether the field takes it is for the form's own checks to say. */
export function readValue(cell: Cell, field: Field, reader: ValueReader): ReadValue {
  const { read } = fileOf(field.type)
  if (read) return read(cell, field, reader)
  const text = withoutGuard(cellText(cell))
  // An exported file must import unchanged.
  return { value: kindOf(field.type).keepsSpaces ? text : text.trim() }
}
