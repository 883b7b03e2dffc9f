import { Suspense } from 'react'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { showOf } from '@/resource/definition/naming'
import { type TabProps, useEngineComponent } from '@/resource/engine-context'
import { MissingComponent } from '@/resource/screens/missing-component'
import { ACTIVITY } from '@/resource/screens/show/record-tabs'
import { RelatedList } from '@/resource/screens/show/related-list'
import { ShowSections, showSections } from '@/resource/screens/show/sections'
import { lazyPart } from '@/ui/load-chunk'
import { PartLoading } from '@/ui/loading-state'

const ActivityTab = lazyPart(() =>
  import('@/resource/screens/show/activity-tab').then((module) => ({ default: module.ActivityTab })),
)

interface TabContentProps {
  definition: Definition
  name: string
  record: Row
}

/** The content of one tab of a record: sections, a component, related records, or the activity. */
export function TabContent({ definition, name, record }: TabContentProps) {
  const show = showOf(definition)
  const tab = show?.tabs?.[name]
  const related = show?.related?.find(({ resource }) => resource === name)
  if (related && !tab) return <RelatedList related={related} record={record} />
  if (!tab && name === ACTIVITY)
    return (
      <Suspense fallback={<PartLoading />}>
        <ActivityTab definition={definition} id={String(record.id)} />
      </Suspense>
    )
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
    <Suspense fallback={<PartLoading />}>
      <Component record={record} resource={resource} />
    </Suspense>
  )
}
