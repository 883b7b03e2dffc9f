import { Suspense } from 'react'
import { isOutOfRole } from '@/access/policy'
import { useCan } from '@/access/use-can'
import type { ScreenProps } from '@/resource/engine-context'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { lazyPart } from '@/ui/load-chunk'
import { PartLoading } from '@/ui/loading-state'

const RecordList = lazyPart(() =>
  import('@/resource/screens/list/record-list').then((module) => ({ default: module.RecordList })),
)
const PortalList = lazyPart(() =>
  import('@/pages/tickets/portal-list').then((module) => ({ default: module.PortalList })),
)

/** The list of tickets for whoever works the desk, and for requesters their own ones as a simple list. */
export function TicketsScreen({ resource }: ScreenProps) {
  const isRequester = isOutOfRole(useCan()('tickets', 'assign'))
  return (
    <DefinedScreen resource={resource}>
      {(definition) => (
        <Suspense fallback={<PartLoading rows={8} />}>
          {isRequester ? <PortalList /> : <RecordList definition={definition} />}
        </Suspense>
      )}
    </DefinedScreen>
  )
}
