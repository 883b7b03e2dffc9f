import type { ComponentType } from 'react'
import type { Field } from '@/resource/definition/definition.generated'
import type { CellModule, CellProps } from '@/resource/fields/kind'
import '@/resource/fields/fields.css'

// With the screen, not lazily: a list paints its first rows with these, and each is a few lines.
const modules = import.meta.glob<CellModule>('./*/cell.tsx', { eager: true })

const cells = new Map<string, ComponentType<CellProps>>()
for (const [path, module] of Object.entries(modules)) {
  const type = path.split('/')[1]
  // A folder's cell takes its own kind of field; the map holds them under the kind's name.
  if (type) cells.set(type, module.Cell as unknown as ComponentType<CellProps>)
}

interface FieldCellProps extends Omit<CellProps, 'field'> {
  field: Field
}

/** How a value reads. */
export function FieldCell(props: FieldCellProps) {
  const Cell = cells.get(props.field.type)
  if (Cell) return <Cell {...props} />
  return <span>{String(props.value ?? '–')}</span>
}
