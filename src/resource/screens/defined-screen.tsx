import { Component, type ReactNode, Suspense } from 'react'
import { type ScreenProps, useEngineComponent } from '@/resource/engine-context'
import { useReadable } from '@/resource/fields/guards'
import type { Definition } from '@/resource/language/definition.generated'
import { useEntry } from '@/resource/language/registry'
import { MissingComponent } from '@/resource/missing-component'
import { lazyPart } from '@/ui/load-chunk'
import { LoadingState, PartLoading } from '@/ui/loading-state'

const BrokenDefinition = lazyPart(() =>
  import('@/resource/screens/broken-definition').then((module) => ({ default: module.BrokenDefinition })),
)

interface ScreenBoundaryProps {
  /** The definition's errors, as the cause of a crash; null when it has none. */
  errors: ReactNode
  children: ReactNode
}

/**
 * The last correct version of a definition can crash when what it refers to is gone. Such a crash shows the
 * definition's errors; any other is passed to the page's error boundary.
 */
class ScreenBoundary extends Component<ScreenBoundaryProps, { error: unknown }> {
  override state = { error: null }

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error: error ?? new Error('The screen broke') }
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children
    if (this.props.errors === null) throw this.state.error
    return this.props.errors
  }
}

interface DefinedScreenProps {
  resource: string
  /** The file of `src/pages` that replaces the generated screen, if the definition names one. */
  own?: (definition: Definition) => string | undefined
  children: (definition: Definition) => ReactNode
}

/**
 * A screen generated from a definition. A definition with errors shows them, above its last correct version if there is
 * one. Other screens keep working.
 */
export function DefinedScreen({ resource, own, children }: DefinedScreenProps) {
  const { entry, revision } = useEntry(resource)
  if (!entry) return <LoadingState />
  const { definition, problems } = entry
  const errors = (isLastShown: boolean) =>
    problems.length === 0 ? null : (
      <Suspense fallback={<PartLoading />}>
        <BrokenDefinition problems={problems} isLastShown={isLastShown} />
      </Suspense>
    )
  if (!definition) return errors(false) ?? <LoadingState />
  const component = own?.(definition)
  return (
    <ScreenBoundary key={`${resource} ${revision}`} errors={errors(false)}>
      {errors(true)}
      {component ? (
        <OwnScreen component={component} resource={resource} />
      ) : (
        <Readable definition={definition}>{children}</Readable>
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
