import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { supabase } from '@/data/client'
import { countRows } from '@/data/rows'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { tableKey } from '@/resource/queries/keys'
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
  const { data, isError, isFetching } = useQuery<number>({
    // Not the request: `$now` would make a new question of every minute.
    queryKey: [
      ...tableKey(scope.companyId, tableOf(definition)),
      'where',
      { q, view, filters, extra },
      asked,
    ],
    queryFn: ({ signal }) => {
      const context = { companyId: scope.companyId, scope: scope.filter, find: findDefinition, extra }
      const draft = { ...state, where: JSON.parse(asked) as Filter | null }
      const { count } = listRequest(definition, [], draft, context)
      return countRows(supabase, count, count.select, signal)
    },
    placeholderData: (previous) => previous,
    staleTime: 10_000,
  })
  return { count: data, isError, isCounting: isFetching || asked !== wanted }
}
