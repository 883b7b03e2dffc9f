import type { FieldKind, FieldType } from '@/resource/fields/kind-interface'
import { KINDS } from '@/resource/fields/kinds.generated'
import type { Definition, Field } from '@/resource/language/definition.generated'

const kinds = new Map(Object.entries(KINDS) as [string, FieldKind][])

/** For code that reads the definitions of other screens, whose mistakes must not break this one. */
export function findKind(type: FieldType): FieldKind | undefined {
  return kinds.get(type)
}

/** Throws for a misspelled kind: the screen of that resource then shows the problems of its definition. */
export function kindOf(type: FieldType): FieldKind {
  const kind = findKind(type)
  if (!kind) throw new Error(`No field kind "${type}"`)
  return kind
}

/** The kind whose values a field holds: a computed one holds those of the kind it is shown as. */
export function valueKindOf(field: Field): FieldKind {
  return kindOf(field.type === 'computed' && field.as ? field.as : field.type)
}

/** Whether a person fills the field in here. */
export function isEditable(field: Field | undefined): field is Field {
  return field !== undefined && field.readonly !== true && !field.from && kindOf(field.type).derived !== true
}

/** The two moments between which a span of time is that a form takes in place of them; null for another field. */
export function spanOf(field: Field | undefined): readonly [string, string] | null {
  return (field?.type === 'duration' && field.between) || null
}

export function editableFields(definition: Definition): string[] {
  return Object.keys(definition.fields).filter((name) => isEditable(definition.fields[name]))
}
