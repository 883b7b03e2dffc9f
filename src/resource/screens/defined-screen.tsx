import { Component, type ReactNode, Suspense, useEffect, useState } from 'react'
import type { Definition } from '@/resource/definition/definition.generated'
import {
  findDefinition,
  findEntry,
  type ResourceEntry,
  resourceEntries,
} from '@/resource/definition/registry'
import { type ScreenProps, useEngineComponent } from '@/resource/engine-context'
import { useReadable } from '@/resource/fields/use-readable'
import type { DefinitionProblem } from '@/resource/inspect/problems'
import { MissingComponent } from '@/resource/missing-component'
import { lazyPart } from '@/ui/load-chunk'
import { LoadingState, PartLoading } from '@/ui/loading-state'

interface ScreenBoundaryProps {
  /** Looks for the cause in the definition; false when it is not there. */
  onCrash: () => Promise<boolean>
  children: ReactNode
  fallback: ReactNode
}

interface ScreenBoundaryState {
  error: unknown
  isExplained: boolean | null
}

/**
 * An invalid definition can crash its screen before it has been validated. Such a crash shows the
 * definition's errors; any other is passed to the page's error boundary.
 */
class ScreenBoundary extends Component<ScreenBoundaryProps, ScreenBoundaryState> {
  override state: ScreenBoundaryState = { error: null, isExplained: null }

  static getDerivedStateFromError(error: unknown): Partial<ScreenBoundaryState> {
    return { error: error ?? new Error('The screen broke') }
  }

  override componentDidCatch(): void {
    this.props.onCrash().then(
      (isExplained) => this.setState({ isExplained }),
      () => this.setState({ isExplained: false }),
    )
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children
    if (this.state.isExplained === false) throw this.state.error
    return this.props.fallback
  }
}

const BrokenDefinition = lazyPart(() =>
  import('@/resource/screens/broken-definition').then((module) => ({ default: module.BrokenDefinition })),
)

/** Whether a definition may have errors: the build validated it, a development server did not. */
function isDoubtful(file: string): boolean {
  return import.meta.env.DEV || MISTAKEN_DEFINITIONS.includes(file)
}

const checked = new WeakMap<ResourceEntry, DefinitionProblem[]>()

async function inspect(entry: ResourceEntry): Promise<DefinitionProblem[]> {
  const known = checked.get(entry)
  if (known) return known
  const { inspectSource } = await import('@/resource/inspect/problems')
  const names = resourceEntries().map(({ name }) => name)
  const found = inspectSource(entry.file, entry.source, { find: findDefinition, names })
  checked.set(entry, found)
  return found
}

/**
 * Validates a definition after its screen has rendered: the validator is larger than the screen. A built
 * console validates only the files that its build reported, and others when their screen crashes. A file that
 * is not a definition at all is validated at once.
 */
function useProblems(entry: ResourceEntry | undefined) {
  const [problems, setProblems] = useState(() => (entry ? (checked.get(entry) ?? null) : null))
  useEffect(() => {
    if (!entry || checked.has(entry) || (entry.definition && !isDoubtful(entry.file))) return
    let isCurrent = true
    const check = async () => {
      const found = await inspect(entry)
      if (isCurrent) setProblems(found)
    }
    const timer = window.setTimeout(() => void check(), entry.definition ? 1500 : 0)
    return () => {
      isCurrent = false
      window.clearTimeout(timer)
    }
  }, [entry])
  const explain = async (): Promise<boolean> => {
    const found = entry ? await inspect(entry) : []
    setProblems(found)
    return found.length > 0
  }
  return { problems, explain }
}

interface DefinedScreenProps {
  resource: string
  /** The file of `src/pages` that replaces the generated screen, if the definition names one. */
  own?: (definition: Definition) => string | undefined
  children: (definition: Definition) => ReactNode
}

/** A screen generated from a definition, or the definition's errors. Other screens keep working. */
export function DefinedScreen({ resource, own, children }: DefinedScreenProps) {
  const entry = findEntry(resource)
  const { problems, explain } = useProblems(entry)
  if (problems && problems.length > 0)
    return (
      <Suspense fallback={<PartLoading />}>
        <BrokenDefinition problems={problems} />
      </Suspense>
    )
  if (!entry?.definition) return <LoadingState />
  const component = own?.(entry.definition)
  return (
    <ScreenBoundary key={resource} onCrash={explain} fallback={<LoadingState />}>
      {component ? (
        <OwnScreen component={component} resource={resource} />
      ) : (
        <Readable definition={entry.definition}>{children}</Readable>
      )}
    </ScreenBoundary>
  )
}

/** Fields that the user may not read are not part of the screen or its requests. */
function Readable({
  definition,
  children,
}: {
  definition: Definition
  children: (definition: Definition) => ReactNode
}) {
  return children(useReadable(definition))
}

function OwnScreen({ component, resource }: ScreenProps & { component: string }) {
  const Screen = useEngineComponent<ScreenProps>(component)
  if (!Screen) return <MissingComponent component={component} />
  return (
    <Suspense fallback={<PartLoading />}>
      <Screen resource={resource} />
    </Suspense>
  )
}
