import type { MeetsRule, RecordRead } from '@/access/policy'
import { ownField } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import { linkedIds } from '@/resource/language/embed-keys'
import { findDefinition } from '@/resource/language/registry'
import { filterFields } from '@/resource/request/filter/mentioned-fields'
import { compareKinds, matches } from '@/resource/request/filter/predicate'

/** A row rule of the definition, evaluated on a record: what row-level security answers for its row. */
export function meetsRowRule(
  definition: Definition,
  rule: string,
  record: RecordRead,
  userId: string,
): boolean | undefined {
  const filter = definition.rules?.[rule]
  // The database covers nothing by a rule that the definition does not have.
  if (!filter) return false
  const row: Record<string, unknown> = { ...record }
  for (const name of filterFields(filter)) {
    const field = ownField(definition, name)
    if (field?.type === 'many-to-many') row[name] = linkedIds(record, name, field.far)
  }
  if (matches(filter, row, { user: { id: userId } }, compareKinds(definition))) return true
  return filterFields(filter).some((name) => row[name] === undefined) ? undefined : false
}

export const meetsRule: MeetsRule = (object, rule, record, userId) => {
  const definition = findDefinition(object)
  return definition ? meetsRowRule(definition, rule, record, userId) : undefined
}
