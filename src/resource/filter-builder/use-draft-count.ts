import { type BaseRecord, type HttpError, useList } from '@refinedev/core'
import { useEffect, useState } from 'react'
import { resourceKey } from '@/refine/keys'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { listRequest } from '@/resource/queries/list-request'
import type { ResourceScope } from '@/resource/queries/use-scope'
import { findDefinition } from '@/resource/registry'
import type { ListState } from '@/resource/screens/list/list-state'

/** What is typed is counted when nothing was typed for so long. */
const PAUSE_MS = 300

/** How many rows the list would have with this filter, its search and other filters as they are. */
export function useDraftCount(
  definition: Definition,
  state: ListState,
  scope: ResourceScope,
  extra: Filter | undefined,
  where: Filter | null,
) {
  const wanted = JSON.stringify(where)
  const [asked, setAsked] = useState(wanted)
  useEffect(() => {
    const timer = window.setTimeout(() => setAsked(wanted), PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [wanted])
  const { q, view, filters } = state
  const context = { companyId: scope.companyId, scope: scope.filter, find: findDefinition, extra }
  const draft = { ...state, where: JSON.parse(asked) as Filter | null }
  const { count } = listRequest(definition, [], draft, context)
  const { query } = useList<BaseRecord, HttpError>({
    ...count,
    errorNotification: false,
    queryOptions: {
      // Not the request: `$now` would make a new question of every minute.
      queryKey: [
        ...resourceKey(definition.name),
        'list',
        { count: 'only', companyId: scope.companyId, q, view, filters, extra, asked },
      ],
      placeholderData: (previous) => previous,
      staleTime: 10_000,
    },
  })
  return {
    count: query.data?.total,
    isError: query.isError,
    isCounting: query.isFetching || asked !== wanted,
  }
}
