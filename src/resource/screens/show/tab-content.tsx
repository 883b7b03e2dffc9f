import { type ReactNode, Suspense } from 'react'
import type { Row } from '@/data/rows'
import { type TabProps, useEngineComponent } from '@/resource/engine-context'
import { type Comments, commentsOf } from '@/resource/language/comments'
import type { Definition } from '@/resource/language/definition.generated'
import { relatedAt, showOf, tableOf } from '@/resource/language/naming'
import { MissingComponent } from '@/resource/missing-component'
import { ACTIVITY, ATTACHMENTS, COMMENTS, OVERVIEW, useRelated } from '@/resource/screens/show/record-tabs'
import { RelatedList } from '@/resource/screens/show/related-list'
import { hasSide, ShowSections, showSections } from '@/resource/screens/show/sections'
import { lazyPart } from '@/ui/load-chunk'
import { PartLoading } from '@/ui/loading-state'
import { useMedia } from '@/ui/use-media'

const ActivityTab = lazyPart(() =>
  import('@/resource/screens/show/activity-tab').then((module) => ({ default: module.ActivityTab })),
)

const Thread = lazyPart(() =>
  import('@/resource/screens/comments/thread').then((module) => ({ default: module.Thread })),
)

const Side = lazyPart(() =>
  import('@/resource/screens/show/side').then((module) => ({ default: module.Side })),
)

const FilePanel = lazyPart(() =>
  import('@/resource/screens/show/file-panel').then((module) => ({ default: module.FilePanel })),
)

const RecordFiles = lazyPart(() =>
  import('@/resource/screens/show/record-files').then((module) => ({ default: module.RecordFiles })),
)

/** The attachments of the record below what its overview says. */
function OverviewFiles({ definition, record }: Omit<TabContentProps, 'name'>) {
  if (!definition.attachments) return null
  return (
    <Suspense fallback={null}>
      <RecordFiles
        resource={tableOf(definition)}
        recordId={String(record.id)}
        companyId={String(record.company_id)}
      />
    </Suspense>
  )
}

const RelatedAbove = lazyPart(() =>
  import('@/resource/screens/show/related-above').then((module) => ({ default: module.RelatedAbove })),
)

/** The related records that wait for somebody, above the overview. */
function Above({ definition, record }: Omit<TabContentProps, 'name'>) {
  const lists = useRelated(definition, record).filter(({ above }) => above !== undefined)
  if (lists.length === 0) return null
  return (
    <Suspense fallback={null}>
      {lists.map((related) => (
        <RelatedAbove
          key={`${related.resource}.${related.by}`}
          definition={definition}
          related={related}
          record={record}
        />
      ))}
    </Suspense>
  )
}

interface TabContentProps {
  definition: Definition
  name: string
  record: Row
}

/** The content of one tab of a record: sections, a component, related records, or the activity. */
export function TabContent(props: TabContentProps) {
  return (
    <>
      {props.name === OVERVIEW ? <Above definition={props.definition} record={props.record} /> : null}
      <Tab {...props} />
    </>
  )
}

function Tab({ definition, name, record }: TabContentProps) {
  const show = showOf(definition)
  const tab = show?.tabs?.[name]
  const related = relatedAt(definition, name)
  if (related && !tab) return <RelatedList definition={definition} related={related} record={record} />
  if (!tab && name === ACTIVITY)
    return (
      <Suspense fallback={<PartLoading />}>
        <ActivityTab definition={definition} id={String(record.id)} />
      </Suspense>
    )
  const comments = commentsOf(definition)
  if (!tab && comments && name === COMMENTS)
    return (
      <Suspense fallback={<PartLoading />}>
        <Thread definition={definition} comments={comments} record={record} />
      </Suspense>
    )
  if (!tab && name === ATTACHMENTS)
    return (
      <Suspense fallback={<PartLoading />}>
        <FilePanel
          resource={tableOf(definition)}
          recordId={String(record.id)}
          companyId={String(record.company_id)}
          object={definition.name}
        />
      </Suspense>
    )
  if (!tab && comments?.place === 'main')
    return <Conversation definition={definition} comments={comments} record={record} />
  if (!tab)
    return (
      <WithSide definition={definition} record={record}>
        <ShowSections definition={definition} sections={showSections(definition)} record={record} />
        <OverviewFiles definition={definition} record={record} />
      </WithSide>
    )
  const content = (
    <>
      {tab.sections ? <ShowSections definition={definition} sections={tab.sections} record={record} /> : null}
      {tab.component ? (
        <TabComponent component={tab.component} record={record} resource={definition.name} />
      ) : null}
    </>
  )
  return name === OVERVIEW ? (
    <WithSide definition={definition} record={record}>
      {content}
      <OverviewFiles definition={definition} record={record} />
    </WithSide>
  ) : (
    content
  )
}

interface ConversationProps {
  definition: Definition
  comments: Comments
  record: Row
}

/** The overview of a record that is a conversation: its first section and the thread, with the rest beside them. */
function Conversation({ definition, comments, record }: ConversationProps) {
  const isWide = useMedia('(min-width: 1100px)')
  const all = Object.entries(showSections(definition))
  // With a side of its own, all sections are above the thread.
  const above = hasSide(definition) ? all : all.slice(0, 1)
  const others = all.slice(above.length)
  const side = hasSide(definition) ? (
    <SidePlace key="side" definition={definition} record={record} />
  ) : others.length > 0 ? (
    <aside key="side" className="k-side">
      <ShowSections definition={definition} sections={Object.fromEntries(others)} record={record} />
    </aside>
  ) : null
  const thread = (
    <div key="thread" className="k-conversation-thread">
      <Suspense fallback={<PartLoading />}>
        <Thread definition={definition} comments={comments} record={record} />
      </Suspense>
    </div>
  )
  return (
    <div className="k-conversation">
      <div className="k-conversation-above">
        <ShowSections definition={definition} sections={Object.fromEntries(above)} record={record} />
        <OverviewFiles definition={definition} record={record} />
      </div>
      {/* Below each other, the conversation comes first: it is read and answered more often than the facts. */}
      {isWide ? [side, thread] : [thread, side]}
    </div>
  )
}

function SidePlace({ definition, record }: Omit<TabContentProps, 'name'>) {
  return (
    <Suspense
      fallback={
        <aside className="k-side">
          <PartLoading rows={6} />
        </aside>
      }
    >
      <Side definition={definition} record={record} />
    </Suspense>
  )
}

/** The overview with its side. */
function WithSide({ definition, record, children }: Omit<TabContentProps, 'name'> & { children: ReactNode }) {
  if (!hasSide(definition)) return children
  return (
    <div className="k-conversation">
      <SidePlace definition={definition} record={record} />
      <div className="k-conversation-thread">{children}</div>
    </div>
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
