import type { Field } from '@/resource/definition/definition.generated'
import type { FieldKind, FieldType } from '@/resource/fields/kind'
import { KINDS } from '@/resource/fields/kinds.generated'

const kinds = new Map(Object.entries(KINDS) as [string, FieldKind][])

/** Throws for a kind that has no folder: the schema offers only kinds that have one. */
export function kindOf(type: FieldType): FieldKind {
  const kind = kinds.get(type)
  if (!kind) throw new Error(`No field kind "${type}"`)
  return kind
}

/** The kind whose values a field holds: a computed one holds those of the kind it is shown as. */
export function valueKindOf(field: Field): FieldKind {
  return kindOf(field.type === 'computed' && field.as ? field.as : field.type)
}
