import type { Field } from '@/resource/definition/definition.generated'
import type { FieldKind, FieldType, ManifestModule } from '@/resource/fields/kind'

const modules = import.meta.glob<ManifestModule>('./*/manifest.ts', { eager: true })

const kinds = new Map<string, FieldKind>(Object.values(modules).map(({ kind }) => [kind.type, kind] as const))

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
