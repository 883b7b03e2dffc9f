import type { Definition } from '@/resource/language/definition.generated'
import type { PointedProblem } from '@/resource/language/inspect/problems'
import { listOf } from '@/resource/language/naming'
import { pathProblem } from './names'
import { corePaths, type PageEntry } from './pages'

/** Addresses that the server or a page of the console has. */
export function inspectNames(definition: Definition, written: readonly PageEntry[] = []): PointedProblem[] {
  const core = corePaths(written)
  const path = listOf(definition) ? pathProblem(definition, { pages: core, forms: core }) : null
  if (!path) return []
  const pointer = path.option in definition ? `/${path.option}` : '/name'
  return [{ pointer, message: path.message, ...(path.hint ? { hint: path.hint } : {}) }]
}
