import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import type { DefinitionProblem } from '@/resource/definition/problems'
import { type Definition, findEntry, type ResourceEntry } from '@/resource/registry'
import { LoadingState } from '@/ui/loading-state'

const BrokenDefinition = lazy(() =>
  import('@/resource/screens/broken-definition').then((module) => ({ default: module.BrokenDefinition })),
)

const checked = new WeakMap<ResourceEntry, DefinitionProblem[]>()

/**
 * Looks a definition over once, after the screen stands: the validator weighs more than the screen, and a
 * definition is nearly always right. A file that is no definition at all is looked over at once.
 */
function useProblems(entry: ResourceEntry | undefined): DefinitionProblem[] | null {
  const [problems, setProblems] = useState(() => (entry ? (checked.get(entry) ?? null) : null))
  useEffect(() => {
    if (!entry || checked.has(entry)) return
    let isCurrent = true
    const check = async () => {
      const { inspectSource } = await import('@/resource/definition/problems')
      const found = inspectSource(entry.file, entry.source)
      checked.set(entry, found)
      if (isCurrent) setProblems(found)
    }
    const timer = window.setTimeout(() => void check(), entry.definition ? 1500 : 0)
    return () => {
      isCurrent = false
      window.clearTimeout(timer)
    }
  }, [entry])
  return problems
}

interface DefinedScreenProps {
  resource: string
  children: (definition: Definition) => ReactNode
}

/** A screen made from a definition, or what is wrong with that definition. The other screens run on. */
export function DefinedScreen({ resource, children }: DefinedScreenProps) {
  const entry = findEntry(resource)
  const problems = useProblems(entry)
  if (problems && problems.length > 0)
    return (
      <Suspense fallback={<LoadingState />}>
        <BrokenDefinition problems={problems} />
      </Suspense>
    )
  if (!entry?.definition) return <LoadingState />
  return children(entry.definition)
}
