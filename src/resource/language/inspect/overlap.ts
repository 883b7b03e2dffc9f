import { kindOf } from '@/resource/fields/kinds'
import { ownField } from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import type { Inspection } from '@/resource/language/inspect/inspection'
import { noOverlapOf } from '@/resource/language/no-overlap'

/** A time that ends before it begins is no range, and PostgreSQL refuses it in words of its own. */
function hasOrder(definition: Definition, from: string, until: string): boolean {
  const asks = (name: string, operators: readonly string[], other: string) =>
    operators.some(
      (operator) => Reflect.get(definition.fields[name]?.check ?? {}, operator) === `$record.${other}`,
    )
  return asks(until, ['_gte', '_gt'], from) || asks(from, ['_lte', '_lt'], until)
}

/** Records that must not overlap: the fields that they share, and when each begins and ends. */
export function inspectOverlap(inspection: Inspection, definition: Definition): void {
  const rule = noOverlapOf(definition)
  if (!rule) return
  const { by, from, until } = rule
  const known = (pointer: string, name: string) => {
    inspection.field(pointer, name)
    const field = ownField(definition, name)
    return field && !field.from && !kindOf(field.type).detached ? field : undefined
  }
  for (const [index, name] of by.entries()) {
    const pointer =
      typeof definition.no_overlap?.by === 'string' ? '/no_overlap/by' : `/no_overlap/by/${index}`
    const field = known(pointer, name)
    const kind = field && kindOf(field.type)
    if (ownField(definition, name) && (!kind || kind.isLarge || kind.isList || kind.compare === 'boolean'))
      inspection.add(
        pointer,
        `records cannot be compared by \`${name}\``,
        'Name a relation, a person, a choice or a text.',
      )
    if (name === from || name === until)
      inspection.add(pointer, `\`${name}\` is the time itself`, 'Name the field that the records share.')
  }
  const [start, end] = [known('/no_overlap/from', from), known('/no_overlap/until', until)]
  const isTime = (field: Field) => ['date', 'instant'].includes(kindOf(field.type).compare)
  if (start && !isTime(start))
    inspection.add(
      '/no_overlap/from',
      `\`${from}\` is \`${start.type}\``,
      'Name a field of kind `date` or `datetime`.',
    )
  else if (start && end && (start.type !== end.type || from === until))
    inspection.add(
      '/no_overlap/until',
      from === until
        ? `\`${until}\` is the beginning`
        : `\`${until}\` is \`${end.type}\`, and \`${from}\` is \`${start.type}\``,
      'Name another field of the same kind.',
    )
  else if (start && end && !hasOrder(definition, from, until))
    inspection.add(
      '/no_overlap/until',
      `nothing keeps \`${until}\` from being before \`${from}\``,
      `Give \`${until}\` the check \`{ "_gte": "$record.${from}" }\`.`,
    )
}
