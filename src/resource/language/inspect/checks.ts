import { kindOf } from '@/resource/fields/kinds'
import { ownField, relatedField } from '@/resource/fields/related-field'
import type { Field } from '@/resource/language/definition.generated'
import type { Inspection } from '@/resource/language/inspect/inspection'
import { operatorProblem, otherFieldProblem } from '@/resource/language/inspect/values'
import { type RelatedComparison, splitCheck } from '@/resource/request/filter/mentioned-fields'
import { isOfPeople } from '@/resource/request/filter/where'

/** A comparison with a field of the record that a relation points at. */
function inspectRelated(
  inspection: Inspection,
  pointer: string,
  field: Field,
  { operator, relation, name }: RelatedComparison,
): void {
  const { definition, context } = inspection
  const path = `${relation}.${name}`
  const own = ownField(definition, relation)
  if (name.includes('.')) {
    inspection.add(
      pointer,
      `\`${path}\` is more than one relation away`,
      'Compare with a field of the record that the relation points at.',
    )
    return
  }
  if (own && isOfPeople(own)) {
    inspection.add(
      pointer,
      `\`${relation}\` points at a person, whose fields no rule of the database can read`,
      'Compare with a field of another record.',
    )
    return
  }
  inspection.column(pointer, path)
  const other = relatedField(definition, path, context.find ?? (() => null))?.field
  if (!other) return
  // The refusal would stop what writes the field: the agent, a count, or a scheduled step for every company.
  if (!other.from && (other.readonly || kindOf(other.type).derived)) {
    inspection.add(
      pointer,
      `\`${path}\` is written by the console itself, whose writes a check must not refuse`,
      'Compare with a field that people write.',
    )
    return
  }
  const problem =
    operatorProblem(field, operator) ??
    operatorProblem(other, operator) ??
    otherFieldProblem(field, `$record.${path}`, other)
  if (problem) inspection.add(pointer, problem.message, problem.hint)
}

export function inspectCheck(
  inspection: Inspection,
  pointer: string,
  field: Field,
  /** A field of an inner table or of a dialog has no relation beside it. */
  isInner: boolean,
): void {
  if (!field.check) return
  const { own, related } = isInner ? { own: field.check, related: [] } : splitCheck(field.check)
  inspection.condition(pointer, own, field)
  for (const each of related) inspectRelated(inspection, `${pointer}/${each.operator}`, field, each)
  if (kindOf(field.type).detached)
    inspection.add(
      pointer,
      `\`check\` compares a value of the record, and \`${field.type}\` is records of another resource`,
      'Remove it.',
    )
}
