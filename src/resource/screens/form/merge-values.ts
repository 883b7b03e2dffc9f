import type { Row } from '@/data/rows'
import { editableFields } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import { changedFields, sameValue } from '@/resource/screens/form/form-values'

export type Side = 'mine' | 'theirs'

export interface MergeField {
  name: string
  /** The side that changed the field since the form was opened. */
  changedBy: Side | 'both'
}

interface Sides {
  /** The values that the form was opened with. */
  base: Row
  mine: Row
  theirs: Row
  /** Fields that this user may not write keep their value. */
  refused: ReadonlySet<string>
}

/** The fields the two sides disagree on, in the definition's order. */
export function mergeFields(definition: Definition, { base, mine, theirs, refused }: Sides): MergeField[] {
  const byMe = new Set(changedFields(definition, base, mine))
  const byThem = new Set(changedFields(definition, base, theirs))
  return editableFields(definition)
    .filter((name) => !refused.has(name) && !sameValue(definition.fields[name], mine[name], theirs[name]))
    .map((name) => ({
      name,
      changedBy: byMe.has(name) ? (byThem.has(name) ? 'both' : 'mine') : 'theirs',
    }))
}

/** The default choice: the side that changed the field, or mine when both did. */
export function sideOf({ name, changedBy }: MergeField, chosen: Readonly<Record<string, Side>>): Side {
  return chosen[name] ?? (changedBy === 'theirs' ? 'theirs' : 'mine')
}

/** Their version with the fields that were chosen from mine. */
export function mergedValues(
  definition: Definition,
  sides: Sides,
  chosen: Readonly<Record<string, Side>>,
): Row {
  const merged = { ...sides.theirs }
  for (const field of mergeFields(definition, sides))
    if (sideOf(field, chosen) === 'mine') merged[field.name] = sides.mine[field.name]
  return merged
}
