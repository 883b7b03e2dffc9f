import { Suspense } from 'react'
import type { Definition } from '@/resource/language/definition.generated'
import { lazyPart } from '@/ui/load-chunk'
import { PartLoading } from '@/ui/loading-state'

const TrashList = lazyPart(() =>
  import('@/resource/screens/trash/trash-list').then((module) => ({ default: module.TrashList })),
)

/** The trash of a list. A list names this file alone, because the names of all that the trash loads would weigh on every list. */
export function TrashPart({ definition }: { definition: Definition }) {
  return (
    <Suspense fallback={<PartLoading rows={8} />}>
      <TrashList definition={definition} />
    </Suspense>
  )
}
