import { Suspense } from 'react'
import type { Definition } from '@/resource/definition/definition.generated'
import { ColumnButton } from '@/resource/preferences/column-button'
import type { ListSetup } from '@/resource/preferences/use-list-setup'
import type { ResourceScope } from '@/resource/queries/use-scope'
import { findDefinition } from '@/resource/registry'
import { isChanged } from '@/resource/views/view-state'
import type { ResourceWords } from '@/resource/words'
import { lazyPart } from '@/ui/load-chunk'

const ViewControls = lazyPart(() =>
  import('@/resource/views/view-controls').then((module) => ({ default: module.ViewControls })),
)

interface ListToolsProps {
  definition: Definition
  words: ResourceWords
  scope: ResourceScope
  setup: ListSetup
}

/** How the list is looked at: its columns, and keeping what is seen as a view. */
export function ListTools({ definition, words, scope, setup }: ListToolsProps) {
  const changed = isChanged(setup.state, setup.chosen, definition, findDefinition)
  return (
    <>
      <ColumnButton definition={definition} words={words} setup={setup} />
      {changed || setup.chosen ? (
        <Suspense fallback={null}>
          <ViewControls definition={definition} scope={scope} setup={setup} isChanged={changed} />
        </Suspense>
      ) : null}
    </>
  )
}
