import type { ReactNode } from 'react'
import type { Row } from '@/data/rows'
import type { Column, Definition } from '@/resource/definition/definition.generated'
import type { FindDefinition } from '@/resource/definition/entry'
import { listOf } from '@/resource/definition/naming'
import { fieldAt } from '@/resource/fields/related-field'
import { actionFields } from '@/resource/filter/actions'
import type { ColumnChoice } from '@/resource/query/column-choice'

export type ListColumn = Column & {
  /** A column of the page that shows the list, which no field of the definition holds. */
  own?: { title: string; draw: (row: Row) => ReactNode }
  /** The user's width in pixels, which is exact; the definition's is a minimum. */
  sized?: number
}

const DEFAULT_COUNT = 6

/** As the definition has them, or its first few fields. */
export function declaredColumns(definition: Definition): Column[] {
  const columns = listOf(definition)?.columns
  if (columns) return columns.map((column) => (typeof column === 'string' ? { field: column } : column))
  return Object.keys(definition.fields)
    .slice(0, DEFAULT_COUNT)
    .map((field) => ({ field }))
}

/** Somebody's choice of columns; one of the definition's keeps what it shows in smaller type. */
function chosenOf(definition: Definition, chosen: readonly ColumnChoice[]): ListColumn[] {
  const declared = declaredColumns(definition)
  return chosen.map(({ field, width }) => ({
    ...(declared.find((column) => column.field === field) ?? { field }),
    ...(width ? { sized: width } : {}),
  }))
}

/**
 * The columns to show. The company column appears only when all companies are in scope; otherwise it would
 * say the same in every row. So would the field `without`, which links the rows to the record they are listed
 * under.
 */
export function listColumns(
  definition: Definition,
  companyId: string | null,
  find: FindDefinition,
  without?: string,
  chosen: readonly ColumnChoice[] | null = null,
): ListColumn[] {
  const all: ListColumn[] = chosen ? chosenOf(definition, chosen) : declaredColumns(definition)
  const columns = all.filter(
    ({ field }) =>
      fieldAt(definition, field, find) !== undefined && field !== 'company_id' && field !== without,
  )
  if (companyId !== null || !definition.fields.company_id) return columns
  // After the second column, usually the status, so that a phone still shows it.
  return [...columns.slice(0, 2), { field: 'company_id' }, ...columns.slice(2)]
}

/** Every field the columns read, those in smaller type too. */
function columnFields(columns: readonly ListColumn[]): string[] {
  return [...new Set(columns.flatMap((column) => [column.field, ...(column.with ?? [])]))]
}

/** The query of a list: its columns, and the fields that decide which actions a row offers. */
export function listFields(definition: Definition, columns: readonly ListColumn[]): string[] {
  return [...columnFields(columns), ...actionFields(definition)]
}
