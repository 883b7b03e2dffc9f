import type { ComponentType } from 'react'
import type { CellProps, FieldType } from '@/resource/fields/kind-interface'
import type { Field } from '@/resource/language/definition.generated'
import '@/resource/fields/fields.css'

interface FieldCellProps extends Omit<CellProps, 'field'> {
  field: Field
}
type FieldCellType = ComponentType<FieldCellProps>

/** A folder exports the cell of its kind, or those of its kinds by type. */
interface ViewModule {
  Cell?: FieldCellType
  cells?: Record<string, FieldCellType>
}

// With the screen, not lazily: a list paints its first rows with these, and each is a few lines.
const modules = import.meta.glob<ViewModule>('./*/view.tsx', { eager: true })

const cells = new Map<string, FieldCellType>()
for (const [path, view] of Object.entries(modules)) {
  if (view.Cell) cells.set(path.split('/')[1] ?? '', view.Cell)
  for (const [type, Cell] of Object.entries(view.cells ?? {})) cells.set(type, Cell)
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
