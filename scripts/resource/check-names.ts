import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import type { PointedProblem } from '@/resource/inspect/problems'
import { fieldNameProblem, resourceNameProblem } from './names'

/** Names that the database, the address or the server keeps for itself. */
export function inspectNames(definition: Definition): PointedProblem[] {
  const table = resourceNameProblem(tableOf(definition))
  const fields = Object.entries(definition.fields).flatMap(([name, field]) => {
    // A field from another table has no column here.
    const problem =
      field.from || field.type === 'many-to-many' ? null : fieldNameProblem(name, { isNew: false })
    return problem ? [{ pointer: `/fields/${name}`, ...problem }] : []
  })
  return [...(table ? [{ pointer: definition.table ? '/table' : '/name', ...table }] : []), ...fields]
}
