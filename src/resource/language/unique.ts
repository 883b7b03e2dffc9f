import type { Definition } from '@/resource/language/definition.generated'

/** The sets of fields whose values together are those of one record. */
export function uniqueSets(definition: Definition): string[][] {
  const single = Object.entries(definition.fields).flatMap(([name, field]) => (field.unique ? [[name]] : []))
  return [...single, ...(definition.unique ?? [])]
}
