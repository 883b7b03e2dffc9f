import { isListField } from '@/resource/bulk/bulk-lists'
import type { Definition, Field } from '@/resource/definition/definition.generated'
import { editableFields } from '@/resource/fields/editable'
import { kindOf } from '@/resource/fields/kinds'

/** The fields that a bulk edit can set: writable, with readable options, and not fixed. */
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
