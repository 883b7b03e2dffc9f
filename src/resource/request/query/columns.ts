import { type ReactNode, useCallback } from 'react'
import type { Row } from '@/data/rows'
import { kindOf } from '@/resource/fields/kinds'
import { fieldAt, isDotted, relatedField } from '@/resource/fields/related-field'
import type { Column, Definition } from '@/resource/language/definition.generated'
import type { FindDefinition } from '@/resource/language/entry'
import { listOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { type ResourceWords, useFieldWords } from '@/resource/language/words'
import { actionFields } from '@/resource/request/filter/actions'

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

/** The columns on a narrow screen: the record's name, with the others that the definition wants there below it. */
export function narrowColumns(definition: Definition, columns: readonly ListColumn[]): readonly ListColumn[] {
  const narrow = listOf(definition)?.narrow
  const [first, ...others] = columns
  if (!narrow || !first) return columns
  const below = columnFields(others).filter((field) => field === 'company_id' || narrow.includes(field))
  return [{ ...first, with: [...(first.with ?? []), ...below] }]
}

/** The query of a list: its columns, and the fields that decide which actions a row offers. */
export function listFields(definition: Definition, columns: readonly ListColumn[]): string[] {
  return [...columnFields(columns), ...actionFields(definition)]
}

/** A column as somebody wants it: which, and how wide in pixels; its place is its place in the list. */
export interface ColumnChoice {
  field: string
  width?: number
}

export const COLUMN_WIDTH = { min: 60, max: 800, step: 20 } as const
/** More columns than anybody looks at; a stored choice has an end too. */
const MAX_COLUMNS = 60

export function clampWidth(width: number): number {
  return Math.round(Math.min(COLUMN_WIDTH.max, Math.max(COLUMN_WIDTH.min, width)))
}

/** Everything a list can show: what its definition shows, then its other fields. */
export function offeredColumns(definition: Definition, find: FindDefinition): string[] {
  const declared = declaredColumns(definition).map(({ field }) => field)
  const others = Object.entries(definition.fields)
    // Large values would be megabytes a page, of which a cell shows one line. Of a computed value without a kind
    // nothing is known that a filter could ask.
    .filter(([, field]) => !kindOf(field.type).isLarge && !(field.type === 'computed' && !field.as))
    .map(([name]) => name)
  // The company comes and goes by itself, with the companies in view.
  return [...new Set([...declared, ...others])].filter(
    (name) => name !== 'company_id' && fieldAt(definition, name, find) !== undefined,
  )
}

/** Columns that the definition does not offer are left out, and an empty rest is no choice at all. */
export function checkColumns(
  choices: readonly ColumnChoice[] | null,
  definition: Definition,
  find: FindDefinition,
): ColumnChoice[] | null {
  const offered = new Set(offeredColumns(definition, find))
  const known = new Map<string, ColumnChoice>()
  for (const choice of choices ?? [])
    if (offered.has(choice.field) && !known.has(choice.field)) known.set(choice.field, choice)
  return known.size > 0 ? [...known.values()].slice(0, MAX_COLUMNS) : null
}

function toChoice(field: string, width: number): ColumnChoice {
  return Number.isFinite(width) && width > 0 ? { field, width: clampWidth(width) } : { field }
}

/** `serial:200,status` */
export function parseColumns(text: string | null): ColumnChoice[] | null {
  if (!text) return null
  return text.split(',').map((part) => {
    const [field = '', width] = part.split(':')
    return toChoice(field, Number(width))
  })
}

export function writeColumns(choices: readonly ColumnChoice[]): string {
  return choices.map(({ field, width }) => (width ? `${field}:${width}` : field)).join()
}

/** As stored by the server; anything that is not a column is ignored. */
export function readColumns(stored: unknown): ColumnChoice[] | null {
  if (!Array.isArray(stored)) return null
  return stored.flatMap((each: unknown) => {
    if (typeof each !== 'object' || each === null || !('field' in each)) return []
    const width = 'width' in each ? Number(each.width) : Number.NaN
    return typeof each.field === 'string' ? [toChoice(each.field, width)] : []
  })
}

export function moveColumn<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = [...items]
  const [moved] = rest.splice(from, 1)
  if (moved === undefined) return [...items]
  rest.splice(Math.min(rest.length, Math.max(0, to)), 0, moved)
  return rest
}

/** The label of a column or filter. A related field has both names, unless the texts have a label for it. */
export function useColumnWord(definition: Definition, words: ResourceWords): (path: string) => string {
  const fieldWord = useFieldWords()
  return useCallback(
    (path) => {
      if (!isDotted(path)) return words.field(path)
      const own = words.text('columns', ...path.split('.'))
      if (own) return own
      const related = relatedField(definition, path, findDefinition)
      if (!related) return words.field(path)
      return `${words.field(related.relation)} · ${fieldWord(related.target, related.name)}`
    },
    [definition, words, fieldWord],
  )
}
