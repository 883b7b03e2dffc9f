import type { Condition, Definition, Field, Filter } from '@/resource/definition/definition.generated'
import type { FilterStyle } from '@/resource/fields/kind'
import { kindOf } from '@/resource/fields/kinds'
import { matchKey } from '@/resource/queries/select'

/** How a field is filtered: its kind's way, except that named values make a text a choice. */
export function filterStyle(field: Field): FilterStyle | undefined {
  if (field.type === 'text' && field.suggestions) return 'choice'
  return kindOf(field.type).filter
}

export function splitList(raw: string): string[] {
  return raw.split(',').filter((part) => part !== '')
}

export interface Bounds {
  from: string
  to: string
}

/** `10..20`, `10..`, `..20`; a single value is both ends. */
export function splitRange(raw: string): Bounds {
  const at = raw.indexOf('..')
  return at === -1 ? { from: raw, to: raw } : { from: raw.slice(0, at), to: raw.slice(at + 2) }
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** A day of the user's calendar as instants: from its first moment up to the first one of the next day. */
function dayBounds({ from, to }: Bounds, isInstant: boolean): Condition {
  const condition: Condition = {}
  if (DAY.test(from)) condition._gte = isInstant ? new Date(`${from}T00:00:00`).toISOString() : from
  if (DAY.test(to)) {
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

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function conditionOf(field: Field, raw: string): Condition {
  switch (filterStyle(field)) {
    case 'choice':
      return listCondition(splitList(raw))
    case 'record':
      // A mistyped address must not become a database error.
      return listCondition(splitList(raw).filter((id) => UUID.test(id)))
    case 'boolean':
      return { _eq: raw === 'true' }
    case 'contains':
      return { _contains: raw }
    case 'range':
      return rangeCondition(splitRange(raw))
    case 'days':
      return dayBounds(splitRange(raw), kindOf(field.type).compare === 'instant')
    case undefined:
      return {}
  }
}

/** The filter a list's URL asks for. Values that mean nothing narrow nothing. */
export function filterFromUrl(definition: Definition, raw: Readonly<Record<string, string>>): Filter {
  const conditions: Filter[] = []
  for (const [name, value] of Object.entries(raw)) {
    const field = definition.fields[name]
    if (!field) continue
    const condition = conditionOf(field, value)
    if (Object.keys(condition).length > 0) conditions.push({ [columnOf(name, field)]: condition })
  }
  return { _and: conditions }
}

/** Related records are filtered through the table between: its column in the embedded rows. */
function columnOf(name: string, field: Field): string {
  return field.type === 'many-to-many' ? `${matchKey(name)}.${field.far}` : name
}
