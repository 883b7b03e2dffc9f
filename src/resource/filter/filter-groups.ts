import type { Definition } from '@/resource/definition/definition.generated'
import { formOf, showOf } from '@/resource/definition/naming'
import { isDotted } from '@/resource/fields/related-field'

export interface FilterGroup {
  /** A section of the record, `.relation` for the fields of a related record, or null for those in neither. */
  key: string | null
  names: string[]
}

/** Filters as the record's page groups its fields, so that people find them where they know them from. */
export function filterGroups(definition: Definition, names: readonly string[]): FilterGroup[] {
  const sections = showOf(definition)?.sections ?? formOf(definition)?.sections ?? {}
  const sectionOf = new Map<string, string>()
  for (const [section, lines] of Object.entries(sections))
    for (const name of lines.flatMap((line) => line.split(/\s+/)))
      if (!sectionOf.has(name)) sectionOf.set(name, section)
  const keyOf = (name: string) => (isDotted(name) ? `.${name.split('.')[0]}` : (sectionOf.get(name) ?? null))
  const order = [...Object.keys(sections), ...new Set(names.filter(isDotted).map(keyOf)), null]
  return order
    .map((key) => ({ key, names: names.filter((name) => keyOf(name) === key) }))
    .filter((group) => group.names.length > 0)
}
