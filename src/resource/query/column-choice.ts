import type { Definition } from '@/resource/definition/definition.generated'
import type { FindDefinition } from '@/resource/definition/entry'
import { kindOf } from '@/resource/fields/kinds'
import { fieldAt } from '@/resource/fields/related-field'
import { declaredColumns } from '@/resource/query/columns'

/** A column as somebody wants it: which, and how wide in pixels; its place is its place in the list. */
export interface ColumnChoice {
  field: string
  width?: number
}

export const COLUMN_WIDTH = { min: 60, max: 800, step: 20 } as const
/** More than anybody looks at; what is stored has an end too. */
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
