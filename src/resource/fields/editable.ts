import type { Definition, Field } from '@/resource/definition/definition.generated'
import { kindOf } from '@/resource/fields/kinds'

/** Whether a person fills the field in here. */
export function isEditable(field: Field | undefined): field is Field {
  return field !== undefined && field.readonly !== true && !field.from && kindOf(field.type).derived !== true
}

export function editableFields(definition: Definition): string[] {
  return Object.keys(definition.fields).filter((name) => isEditable(definition.fields[name]))
}
