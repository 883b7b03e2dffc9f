import type { Definition, Filter } from '@/resource/language/definition.generated'
import { columnOf } from '@/resource/request/filter/from-url'

/** The condition on records that point at a record by this field. */
export function underFilter(
  { fields }: Definition,
  { field: name, id }: { field: string; id: string },
): Filter {
  const field = fields[name]
  return { [field ? columnOf(name, field) : name]: { _eq: id } }
}
