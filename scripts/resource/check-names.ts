import type { Definition } from '@/resource/definition/definition.generated'
import { listOf, tableOf } from '@/resource/definition/naming'
import type { PointedProblem } from '@/resource/inspect/problems'
import { fieldNameProblem, pathProblem, resourceNameProblem } from './names'
import { corePaths, type PageEntry } from './pages'

/** Names that the database, the address or the server keeps for itself. */
export function inspectNames(definition: Definition, written: readonly PageEntry[] = []): PointedProblem[] {
  const table = resourceNameProblem(tableOf(definition))
  const fields = Object.entries(definition.fields).flatMap(([name, field]) => {
    // A field from another table has no column here.
    const problem =
      field.from || field.type === 'many-to-many' ? null : fieldNameProblem(name, { isNew: false })
    return problem ? [{ pointer: `/fields/${name}`, ...problem }] : []
  })
  const core = corePaths(written)
  const path = listOf(definition) ? pathProblem(definition, { pages: core, forms: core }) : null
  const taken = path
    ? [
        {
          pointer: path.option in definition ? `/${path.option}` : '/name',
          message: path.message,
          hint: path.hint,
        },
      ]
    : []
  return [
    ...taken,
    ...(table ? [{ pointer: definition.table ? '/table' : '/name', ...table }] : []),
    ...fields,
  ]
}
