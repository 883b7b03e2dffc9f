import { FieldCell } from '@/resource/fields/cells'
import type { CellProps } from '@/resource/fields/kind-interface'

/** Reads as the kind it names; the database made the value. */
export function Cell({ field, ...props }: CellProps<'computed'>) {
  return <FieldCell {...props} field={{ type: field.as ?? 'text' }} />
}
