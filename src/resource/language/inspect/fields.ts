import { kindOf, spanOf, valueKindOf } from '@/resource/fields/kinds'
import { ownField } from '@/resource/fields/related-field'
import type { Field, Filter } from '@/resource/language/definition.generated'
import { inspectCheck } from '@/resource/language/inspect/checks'
import { hintFor } from '@/resource/language/inspect/hint'
import { Inspection } from '@/resource/language/inspect/inspection'
import { inspectOptions } from '@/resource/language/inspect/options'
import { patternProblem } from '@/resource/language/inspect/pattern'
import type { InspectContext } from '@/resource/language/inspect/problems'
import { ownProblems, variableProblem } from '@/resource/language/inspect/values'
import { filterFields } from '@/resource/request/filter/mentioned-fields'
import { isVariable } from '@/resource/request/filter/scope'

function inspectDefault(inspection: Inspection, pointer: string, field: Field): void {
  if (!('default' in field) || field.default === undefined) return
  inspection.variable(`${pointer}/default`, field.default)
  const wrong = isVariable(field.default)
    ? variableProblem(field, field.default, inspection.definition.fields)
    : null
  if (wrong) inspection.add(`${pointer}/default`, wrong.message, wrong.hint)
  const choices = kindOf(field.type).choices?.(field)
  if (!choices?.isClosed) return
  const strange = [field.default]
    .flat()
    .map(String)
    .find((value) => !choices.known.includes(value))
  if (strange !== undefined)
    inspection.add(
      `${pointer}/default`,
      `the default \`${strange}\` is not among the values`,
      hintFor(strange, choices.known),
    )
}

/** The field that `$record.<name>` follows. */
function followedField(inspection: Inspection, value: string): Field | undefined {
  return value.startsWith('$record.')
    ? ownField(inspection.definition, value.slice('$record.'.length))
    : undefined
}

const COLORED_BY = ['warn_days', 'thresholds', 'over', 'countdown'] as const

/** The record itself decides, wherever its value is shown. */
function inspectColor(inspection: Inspection, pointer: string, field: Field, isInner: boolean): void {
  if (!('color_when' in field) || field.color_when === undefined) return
  const place = `${pointer}/color_when`
  if (!COLORED_BY.some((option) => option in field))
    inspection.add(
      place,
      'the field has no color to begin with',
      'Give it a warning, or remove `color_when`.',
    )
  inspectOwnFilter(inspection, place, field.color_when, isInner, 'a color is the same for everybody')
}

function inspectPause(inspection: Inspection, pointer: string, field: Field, isInner: boolean): void {
  if (!('paused_when' in field) || field.paused_when === undefined) return
  const place = `${pointer}/paused_when`
  if (!kindOf(field.type).choices && !('countdown' in field && field.countdown))
    inspection.add(
      place,
      'the field counts nothing down',
      'Add `"countdown": true`, or remove `paused_when`.',
    )
  inspectOwnFilter(inspection, place, field.paused_when, isInner, 'a clock is the same for everybody')
}

/** The other deadlines that a countdown may give way to have to count down as well. */
function inspectEarlier(inspection: Inspection, pointer: string, field: Field): void {
  if (!('or_earlier' in field) || !field.or_earlier) return
  if (!field.countdown)
    inspection.add(
      `${pointer}/or_earlier`,
      'the field counts nothing down',
      'Add `"countdown": true`, or remove `or_earlier`.',
    )
  for (const [index, name] of field.or_earlier.entries()) {
    const other = ownField(inspection.definition, name)
    if (other && !('countdown' in other && other.countdown))
      inspection.add(
        `${pointer}/or_earlier/${index}`,
        `\`${name}\` counts nothing down`,
        'Name a `datetime` with `"countdown": true`.',
      )
  }
}

/** A filter that is asked of a row which is on the screen already. */
export function inspectOwnFilter(
  inspection: Inspection,
  place: string,
  filter: Filter,
  isInner: boolean,
  reason: string,
): void {
  inspection.filter(place, filter)
  if (JSON.stringify(filter).includes('"$user'))
    inspection.add(place, reason, 'Compare with a value, `$now` or another field.')
  for (const name of isInner ? [] : filterFields(filter)) {
    const other = ownField(inspection.definition, name)
    if (other && (other.from || kindOf(other.type).detached))
      inspection.add(place, `\`${name}\` is in another table`, 'Compare a column of the record itself.')
  }
}

function inspectField(
  inspection: Inspection,
  context: InspectContext,
  pointer: string,
  field: Field,
  isInner: boolean,
): void {
  inspection.filter(`${pointer}/when`, field.when)
  inspectColor(inspection, pointer, field, isInner)
  inspectPause(inspection, pointer, field, isInner)
  inspectEarlier(inspection, pointer, field)
  inspectCheck(inspection, `${pointer}/check`, field, isInner)
  if (field.filter && !valueKindOf(field).filter)
    inspection.add(
      `${pointer}/filter`,
      `a list cannot filter by a field of kind \`${field.type}\``,
      'Remove it.',
    )
  inspectDefault(inspection, pointer, field)
  inspectOptions(inspection, pointer, field, { siblings: inspection.names, isInner })
  const badPattern = 'pattern' in field && field.pattern !== undefined ? patternProblem(field.pattern) : null
  // The default is compared with the pattern.
  if (badPattern) inspection.add(`${pointer}/pattern`, badPattern.message, badPattern.hint)
  else
    for (const [option, { message, hint }] of ownProblems(field))
      inspection.add(`${pointer}/${option}`, message, hint)
  if ('to' in field) {
    inspection.target(`${pointer}/to`, field.to)
    const target = context.find?.(field.to)
    if (target && field.where) inspection.filter(`${pointer}/where`, field.where, target.fields)
  }
  if (field.type === 'number' && field.counts) {
    const { resource, by, filter } = field.counts
    inspection.related(`${pointer}/counts`, { resource, by })
    const target = context.find?.(resource)
    if (target) inspection.filter(`${pointer}/counts/filter`, filter, target.fields)
  }
  const { follows = [], references } = kindOf(field.type)
  for (const option of follows) {
    const value: unknown = Reflect.get(field, option)
    inspection.variable(`${pointer}/${option}`, value)
    const followed = typeof value === 'string' ? followedField(inspection, value) : undefined
    if (followed && valueKindOf(followed).compare !== 'text')
      inspection.add(
        `${pointer}/${option}`,
        `\`${String(value)}\` is \`${followed.type}\`, which holds no ${option}`,
        'Name a field of text or choices.',
      )
  }
  for (const [option, other] of references?.(field) ?? []) inspection.field(`${pointer}/${option}`, other)
  for (const [index, name] of (spanOf(field) ?? []).entries()) {
    const moment = ownField(inspection.definition, name)
    if (moment && valueKindOf(moment).compare !== 'instant')
      inspection.add(
        `${pointer}/between/${index}`,
        `\`${name}\` is not a \`datetime\``,
        'Name the two moments between which the span is.',
      )
  }
  if (spanOf(field) && !field.readonly)
    inspection.add(
      `${pointer}/between`,
      'a span between two moments is no value of its own',
      'Add `"readonly": true`.',
    )
  const inner: unknown = Reflect.get(field, 'fields')
  if (inner === undefined) return
  for (const [name, column] of Object.entries(inner as Record<string, Field>))
    if (Reflect.has(column, 'fields'))
      inspection.add(
        `${pointer}/fields/${name}/type`,
        `\`${name}\` is an inner table within an inner table`,
        'Move it to a resource of its own, with a relation to this one.',
      )
  const row = new Inspection({ ...inspection.definition, fields: inner as Record<string, Field> }, context)
  inspectFields(row, context, `${pointer}/fields`, true)
  inspection.problems.push(...row.problems)
}

/** The fields of a resource, of an inner table or of a dialog: each is compared with those beside it. */
export function inspectFields(
  inspection: Inspection,
  context: InspectContext,
  pointer: string,
  isInner = false,
): void {
  for (const [name, field] of Object.entries(inspection.definition.fields))
    inspectField(inspection, context, `${pointer}/${name}`, field, isInner)
}
