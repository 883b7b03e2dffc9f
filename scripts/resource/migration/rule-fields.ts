import type { Condition, Field, Filter } from '@/resource/language/definition.generated'

/** The table between records and people, where the field is one of those. */
export function linkOf(field: Field | undefined): { table: string; near: string; far: string } | null {
  return field?.type === 'many-to-many' && field.to === 'users'
    ? { table: field.through, near: field.near, far: field.far }
    : null
}

/** Operators that an index answers below row-level security. */
const INDEXED = ['_eq', '_in']

const isIndexed = (condition: Condition): boolean =>
  Object.entries(condition).some(([operator, value]) => INDEXED.includes(operator) && value !== null)

/**
 * The fields of which each must have an index, so that no branch of the rule reads the whole table; null where a branch
 * has no condition that an index can answer.
 */
export function indexedFields(filter: Filter): string[] | null {
  const found: string[] = []
  let isHeld = false
  for (const [key, value] of Object.entries(filter)) {
    if (key === '_or') {
      const inner = (value as Filter[]).map(indexedFields)
      if (inner.every((each) => each !== null)) {
        isHeld = true
        found.push(...inner.flatMap((each) => each ?? []))
      }
    } else if (key === '_and') {
      const inner = (value as Filter[]).map(indexedFields).find((each) => each !== null)
      if (inner) {
        isHeld = true
        found.push(...inner)
      }
    } else if (isIndexed(value as Condition) || '_contains' in (value as Condition)) {
      isHeld = true
      found.push(key)
    }
  }
  return isHeld ? found : null
}
