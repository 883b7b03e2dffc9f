import type { Definition } from '@/resource/language/definition.generated'
import type { InspectedFile, PointedProblem } from '@/resource/language/inspect/problems'
import { createPath, listOf, listPath } from '@/resource/language/naming'

const hasForm = ({ form }: Definition): boolean => form !== false

function sharedPaths(definition: Definition, file: string, other: Definition): PointedProblem[] {
  const path = listOf(definition) ? listPath(definition) : null
  const create = hasForm(definition) ? createPath(definition) : null
  const [otherPath, otherCreate] = [listPath(other), createPath(other)]
  const route = { pointer: '/route', hint: 'Give one of them another `route`.' }
  const singular = { pointer: '/singular', hint: 'Give one of them another `singular`.' }
  if (path === otherPath && listOf(other)) return [{ ...route, message: `${file} has the path ${path} too` }]
  if (path === otherCreate && hasForm(other)) return [{ ...route, message: `${file} creates at ${path}` }]
  if (create === otherPath && listOf(other))
    return [{ ...singular, message: `${file} has the path ${create}` }]
  if (create === otherCreate && hasForm(other))
    return [{ ...singular, message: `${file} creates at ${create} too` }]
  return []
}

/** Two resources cannot share a name, or a page. */
export function inspectNeighbors(
  definition: Definition,
  file: string,
  others: readonly InspectedFile[],
): PointedProblem[] {
  const problems: PointedProblem[] = []
  for (const other of others) {
    if (other.file === file || !other.definition) continue
    // The addresses of two with one name follow from it.
    if (other.definition.name === definition.name)
      problems.push({
        pointer: '/name',
        message: `${other.file} has the name \`${definition.name}\` too`,
        hint: 'Delete one of the files, or rename its resource.',
      })
    else problems.push(...sharedPaths(definition, other.file, other.definition))
  }
  return problems
}
