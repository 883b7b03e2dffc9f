import { lazy, Suspense } from 'react'
import type { Row } from '@/data/rows'
import type { Definition, Related } from '@/resource/definition/definition.generated'
import { showOf } from '@/resource/definition/naming'
import { type TabProps, useEngineComponent } from '@/resource/engine-context'
import { findDefinition } from '@/resource/registry'
import { MissingComponent } from '@/resource/screens/missing-component'
import { ShowSections, showSections } from '@/resource/screens/show/sections'
import { LoadingState } from '@/ui/loading-state'

export const OVERVIEW = 'overview'

const ResourceList = lazy(() =>
  import('@/resource/screens/list/resource-list').then((module) => ({ default: module.ResourceList })),
)

interface TabContentProps {
  definition: Definition
  name: string
  record: Row
}

/** What stands under one tab of a record: sections, a component, or the records that point here. */
export function TabContent({ definition, name, record }: TabContentProps) {
  const show = showOf(definition)
  const tab = show?.tabs?.[name]
  const related = show?.related?.find(({ resource }) => resource === name)
  if (related && !tab) return <RelatedList related={related} record={record} />
  if (!tab)
    return <ShowSections definition={definition} sections={showSections(definition)} record={record} />
  return (
    <>
      {tab.sections ? <ShowSections definition={definition} sections={tab.sections} record={record} /> : null}
      {tab.component ? (
        <TabComponent component={tab.component} record={record} resource={definition.name} />
      ) : null}
    </>
  )
}

function TabComponent({ component, record, resource }: TabProps & { component: string }) {
  const Component = useEngineComponent<TabProps>(component)
  if (!Component) return <MissingComponent component={component} />
  return (
    <Suspense fallback={<LoadingState />}>
      <Component record={record} resource={resource} />
    </Suspense>
  )
}

function RelatedList({ related, record }: { related: Related; record: Row }) {
  const target = findDefinition(related.resource)
  if (!target) return <MissingComponent component={related.resource} />
  return (
    <Suspense fallback={<LoadingState />}>
      <ResourceList definition={target} under={{ field: related.by, id: String(record.id) }} />
    </Suspense>
  )
}
