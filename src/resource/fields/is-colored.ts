import type { Filter } from '@/resource/definition/definition.generated'
import { findDefinition } from '@/resource/definition/registry'
import { compareKinds, matches } from '@/resource/filter/predicate'

/** Whether a value that is colored by how high or how late it is has a color in this record. */
export function isColored(
  { color_when: filter }: { color_when?: Filter | undefined },
  resource: string,
  row: Record<string, unknown>,
): boolean {
  if (!filter) return true
  const definition = findDefinition(resource)
  return matches(filter, row, {}, definition ? compareKinds(definition) : undefined)
}
