import type { HTMLAttributes, ReactNode } from 'react'
import type { Row } from '@/data/rows'
import { kindOf } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'

export interface CellPlace {
  id: string
  field: string
}

export interface GridCell {
  attributes: HTMLAttributes<HTMLTableCellElement> & {
    'data-cell': string
    'data-changed': boolean
    'data-editing': boolean
  }
  /** Stands in the cell instead of the row's value. */
  content?: ReactNode
  /** Lies over the cell, whose value keeps its room below: nothing in the table moves while it is edited. */
  editor?: ReactNode
}

/** The changes that cell editing makes to a list's table; without them the table is unchanged. */
export interface CellGrid {
  isOn: boolean
  /** Fields that the list reads beside its columns, so that cells can be checked. */
  fields: readonly string[]
  /** The row in whose cell something is being typed. */
  edited: string | null
  /** Null for a cell that is neither changed nor to be changed. */
  cell: (row: Row, field: string) => GridCell | null
}

/** The cells that can be gone to: marked by the attribute, so that one listener serves them all. */
export const OPEN_CELL = '[data-cell][tabindex]'

/** Whether a field, of whatever record, can be edited in a cell. Comes with the list, which offers editing by it. */
export function isCellField(definition: Definition, name: string): boolean {
  const field = definition.fields[name]
  if (!field || field.readonly || field.from || field.once || field.component) return false
  const { derived, detached, isLarge } = kindOf(field.type)
  return !derived && !detached && !isLarge && name !== 'company_id'
}
