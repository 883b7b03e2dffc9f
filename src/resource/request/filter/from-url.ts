import type { FieldChoices, FilterStyle } from '@/resource/fields/kind-interface'
import { kindOf, valueKindOf } from '@/resource/fields/kinds'
import { fieldAt, isDotted } from '@/resource/fields/related-field'
import type { Condition, Definition, Field, Filter } from '@/resource/language/definition.generated'
import { matchKey } from '@/resource/language/embed-keys'
import type { FindDefinition } from '@/resource/language/entry'
import { LIST_PARAMS, listOf } from '@/resource/language/naming'

/** Characters of a text that a condition compares with. The server refuses to search for longer ones. */
export const MAX_TEXT = 200

/** How a field is filtered: its kind's way, except that known values make a text a choice. */
export function filterStyle(field: Field): FilterStyle | undefined {
  const { filter } = valueKindOf(field)
  return filter === 'contains' && kindOf(field.type).choices?.(field) ? 'choice' : filter
}

/** The choices that a field offers by itself. */
export function choicesOf(field: Field): FieldChoices {
  return kindOf(field.type).choices?.(field) ?? { known: [], isClosed: false }
}

function dottedColumns(definition: Definition): string[] {
  const columns = listOf(definition)?.columns ?? []
  const shown = columns.flatMap((column) =>
    typeof column === 'string' ? [column] : [column.field, ...(column.with ?? [])],
  )
  return [...new Set(shown)].filter(isDotted)
}

/**
 * The field a list may be filtered by under this name, if it may: every field of a kind that can be filtered, unless
 * its definition says `filter: false`. Of related records, the fields that the list shows.
 */
export function filterField(definition: Definition, name: string, find: FindDefinition): Field | null {
  const field = fieldAt(definition, name, find)
  if (!field || field.filter === false || filterStyle(field) === undefined) return null
  // Another table keeps the value, with policies of its own.
  if (field.from && field.guard?.read) return null
  if (!isDotted(name)) return LIST_PARAMS.has(name) ? null : field
  // The records that a view points at are read separately, after its rows.
  if (definition.view) return null
  return dottedColumns(definition).includes(name) ? field : null
}

/** Everything the list may be filtered by: its own fields in their order, then those of related records. */
export function filterNames(definition: Definition, find: FindDefinition): string[] {
  return [...Object.keys(definition.fields), ...dottedColumns(definition)].filter((name) =>
    filterField(definition, name, find),
  )
}

export function splitList(raw: string): string[] {
  return raw.split(',').filter((part) => part !== '')
}

interface Bounds {
  from: string
  to: string
}

/** `10..20`, `10..`, `..20`, `$now-7d..$now`; a single value is both ends. */
export function splitRange(raw: string): Bounds {
  const at = raw.indexOf('..')
  return at === -1 ? { from: raw, to: raw } : { from: raw.slice(0, at), to: raw.slice(at + 2) }
}

/** Postgres reads no year 0 and no expanded ones; no list holds them. */
const DAY = /^[12]\d{3}-\d\d-\d\d$/

/** A day that the calendar has: of any other neither a moment can be made nor the database asked. */
export function isDay(text: string): boolean {
  const at = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** Today, or so many days before or after it. */
export const NOW_AND_DAYS = /^\$now(?:([+-])(\d{1,4})d)?$/

/** A relative day as the day of the user's calendar that it means now; any other text as it is. */
export function calendarDay(text: string): string {
  const [match, sign = '+', days = '0'] = NOW_AND_DAYS.exec(text) ?? []
  if (match === undefined) return text
  const day = new Date()
  day.setDate(day.getDate() + Number(`${sign}${days}`))
  const two = (part: number) => String(part).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

/** A day of the user's calendar as instants: from its first moment up to the first one of the next day. */
export function dayBounds({ from, to }: Bounds, isInstant: boolean): Condition {
  const condition: Condition = {}
  if (isDay(from)) condition._gte = isInstant ? new Date(`${from}T00:00:00`).toISOString() : from
  if (isDay(to)) {
    if (isInstant) {
      const end = new Date(`${to}T00:00:00`)
      end.setDate(end.getDate() + 1)
      condition._lt = end.toISOString()
    } else condition._lte = to
  }
  return condition
}

function rangeCondition({ from, to }: Bounds): Condition {
  const condition: Condition = {}
  if (from !== '' && Number.isFinite(Number(from))) condition._gte = Number(from)
  if (to !== '' && Number.isFinite(Number(to))) condition._lte = Number(to)
  return condition
}

function listCondition(values: string[]): Condition {
  return values.length === 1 ? { _eq: values[0] ?? '' } : { _in: values }
}

/** A mistyped address must not become a database error. */
export function splitIds(raw: string): string[] {
  return splitList(raw).filter((id) => UUID.test(id))
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function conditionOf(field: Field, raw: string): Condition {
  switch (filterStyle(field)) {
    case 'choice':
      return listCondition(splitList(raw))
    case 'words': {
      const tags = splitList(raw)
      return tags.length > 0 ? { _has_any: tags } : {}
    }
    case 'record':
      return listCondition(splitIds(raw))
    case 'yesNo':
      return { _eq: raw === 'true' }
    case 'contains':
      return { _contains: raw.slice(0, MAX_TEXT) }
    case 'range':
      return rangeCondition(splitRange(raw))
    case 'days': {
      const { from, to } = splitRange(raw)
      const isInstant = valueKindOf(field).compare === 'instant'
      return dayBounds({ from: calendarDay(from), to: calendarDay(to) }, isInstant)
    }
    case undefined:
      return {}
  }
}

/** The filter a list's URL asks for. Values that mean nothing narrow nothing. */
export function filterFromUrl(
  definition: Definition,
  raw: Readonly<Record<string, string>>,
  find: FindDefinition,
): Filter {
  const conditions: Filter[] = []
  for (const [name, value] of Object.entries(raw)) {
    const field = fieldAt(definition, name, find)
    if (!field) continue
    const condition = conditionOf(field, value)
    if (Object.keys(condition).length > 0) conditions.push({ [columnOf(name, field)]: condition })
  }
  return { _and: conditions }
}

/** A field of another table is filtered through the embedded rows of that table. */
export function columnOf(name: string, field: Field): string {
  if (isDotted(name)) return name.replace(/^\w+/, matchKey)
  if (field.from) return `${matchKey(name)}.${field.from.column}`
  return field.type === 'many-to-many' ? `${matchKey(name)}.${field.far}` : name
}

/** The periods that a filter by days offers, as the address writes them. */
export const PERIODS = {
  past: '..$now-1d',
  today: '$now..$now',
  next7: '$now..$now+7d',
  next30: '$now..$now+30d',
  last7: '$now-7d..$now',
  last30: '$now-30d..$now',
  older30: '..$now-31d',
} as const

export type Period = keyof typeof PERIODS

/** A day that people choose or that is counted down to may lie ahead. Another one that the database writes has passed. */
const OFFERED: Record<'chosen' | 'recorded', readonly Period[]> = {
  chosen: ['past', 'today', 'next7', 'next30', 'last30'],
  recorded: ['today', 'last7', 'last30', 'older30'],
}

export function periodsOf(field: Field): readonly Period[] {
  const isAhead = 'countdown' in field && field.countdown
  return OFFERED[(field.readonly || field.from) && !isAhead ? 'recorded' : 'chosen']
}

export function periodOf(raw: string): Period | undefined {
  return (Object.keys(PERIODS) as Period[]).find((period) => PERIODS[period] === raw)
}
