import { asListWay, isListField } from '@/resource/bulk/bulk-lists'
import type { Definition, Field } from '@/resource/definition/definition.generated'
import { kindOf } from '@/resource/fields/kinds'
import { editableFields } from '@/resource/screens/form/form-values'

/** The fields that many records can be given at once: what this person may write, finds a choice for, and stays open. */
export function bulkFields(
  definition: Definition,
  refused: ReadonlySet<string>,
  mayChoose: (field: Field) => boolean,
): string[] {
  return editableFields(definition).filter((name) => {
    const field = definition.fields[name]
    if (!field || name === 'company_id' || refused.has(name) || field.once || !mayChoose(field)) return false
    return isListField(field) || kindOf(field.type).detached !== true
  })
}

/**
 * A definition of the chosen fields alone; what would hide one by the record's other values has no record here.
 * To add nothing, or take nothing away, is no change.
 */
export function bulkDefinition(
  definition: Definition,
  names: readonly string[],
  ways: Readonly<Record<string, unknown>>,
): Definition {
  const fields = names.flatMap((name) => {
    const field = definition.fields[name]
    if (!field) return []
    const { when: _when, ...shown } = field
    const needsItems = isListField(field) && asListWay(ways[name]) !== 'replace'
    return [[name, (needsItems ? { ...shown, required: true } : shown) as Field] as const]
  })
  return { ...definition, fields: Object.fromEntries(fields) }
}
