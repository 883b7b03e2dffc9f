import type { Definition, Field } from '@/resource/definition/definition.generated'
import { kindOf } from '@/resource/fields/kinds'

/** These are edited in room of their own, which a cell does not have. */
const TOO_LARGE: ReadonlySet<Field['type']> = new Set(['code', 'diff', 'json', 'markdown', 'rows'])

/** Whether a field, of whatever record, can be edited in a cell. Comes with the list, which offers editing by it. */
export function isCellField(definition: Definition, name: string): boolean {
  const field = definition.fields[name]
  if (!field || field.readonly || field.from || field.once || field.component) return false
  const { derived, detached } = kindOf(field.type)
  return !derived && !detached && !TOO_LARGE.has(field.type) && name !== 'company_id'
}
