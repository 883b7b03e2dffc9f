import type { ComponentType } from 'react'
import type { Field } from '@/resource/definition/definition.generated'
import type { CellModule, CellProps, FieldType } from '@/resource/fields/kind'
import '@/resource/fields/fields.css'

// With the screen, not lazily: a list paints its first rows with these, and each is a few lines.
const modules = import.meta.glob<CellModule>('./*/cell.tsx', { eager: true })

interface FieldCellProps extends Omit<CellProps, 'field'> {
  field: Field
}
type FieldCellType = ComponentType<FieldCellProps>

const cells = new Map<string, FieldCellType>()
for (const [path, module] of Object.entries(modules)) {
  const type = path.split('/')[1]
  // A folder's cell takes its own kind of field; the map holds them under the kind's name.
  if (type) cells.set(type, module.Cell as unknown as FieldCellType)
}

function PlainCell({ value }: FieldCellProps) {
  return <span>{String(value ?? '–')}</span>
}

/** The cell component of a kind, for code that shows many values of one kind. */
export function cellOf(type: FieldType): FieldCellType {
  return cells.get(type) ?? PlainCell
}

/** How a value reads. */
export function FieldCell(props: FieldCellProps) {
  const Cell = cellOf(props.field.type)
  return <Cell {...props} />
}
