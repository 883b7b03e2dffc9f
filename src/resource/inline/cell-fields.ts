import type { Definition } from '@/resource/definition/definition.generated'
import { kindOf } from '@/resource/fields/kinds'

/** Whether a field, of whatever record, can be edited in a cell. Comes with the list, which offers editing by it. */
export function isCellField(definition: Definition, name: string): boolean {
  const field = definition.fields[name]
  if (!field || field.readonly || field.from || field.once || field.component) return false
  const { derived, detached, isLarge } = kindOf(field.type)
  return !derived && !detached && !isLarge && name !== 'company_id'
}
