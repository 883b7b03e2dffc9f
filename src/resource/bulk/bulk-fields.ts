import type { Definition, Field } from '@/resource/definition/definition.generated'
import { kindOf } from '@/resource/fields/kinds'
import { editableFields } from '@/resource/screens/form/form-values'

/** The fields that many records can be given at once: columns that this person may write and that stay open. */
export function bulkFields(definition: Definition, refused: ReadonlySet<string>): string[] {
  return editableFields(definition).filter((name) => {
    const field = definition.fields[name]
    if (!field || name === 'company_id' || refused.has(name) || field.once) return false
    return kindOf(field.type).detached !== true
  })
}

/** A definition of the chosen fields alone; what would hide one by the record's other values has no record here. */
export function bulkDefinition(definition: Definition, names: readonly string[]): Definition {
  const fields = names.flatMap((name) => {
    const field = definition.fields[name]
    if (!field) return []
    const { when: _when, ...shown } = field
    return [[name, shown as Field] as const]
  })
  return { ...definition, fields: Object.fromEntries(fields) }
}
