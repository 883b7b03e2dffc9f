import { useInfiniteQuery } from '@tanstack/react-query'
import { supabase } from '@/data/client'
import { type DataError, toDataError } from '@/data/errors'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { tableKey } from '@/resource/queries/keys'
import type { ResourceScope } from '@/resource/queries/use-scope'

/** One row of the audit log, as `record_activity` gives it. */
export interface ActivityEntry {
  id: string
  at: string
  /** Null for what the system did by itself. */
  actor_email: string | null
  actor_id: string | null
  table_name: string
  action: 'create' | 'edit' | 'delete'
  changes: unknown
}

interface Cursor {
  before?: string
  before_id?: string
}

/** How many the function gives at once; fewer are the last. */
const PAGE = 50

async function readActivity(
  definition: Definition,
  id: string,
  cursor: Cursor,
  signal: AbortSignal,
): Promise<ActivityEntry[]> {
  const args = { resource: tableOf(definition), record_id: id, ...cursor }
  const { data, error, status } = await supabase
    .rpc('record_activity', args, { get: true })
    .abortSignal(signal)
  if (error) throw toDataError(error, status)
  return data as unknown as ActivityEntry[]
}

/** What happened to a record, the newest first, page by page. */
export function useActivity(definition: Definition, id: string, scope: ResourceScope) {
  return useInfiniteQuery<ActivityEntry[], DataError, ActivityEntry[], readonly unknown[], Cursor>({
    // Under the table's key: a write or a live message reads it again with the record.
    queryKey: [...tableKey(scope.companyId, tableOf(definition)), 'activity', id],
    queryFn: ({ pageParam, signal }) => readActivity(definition, id, pageParam, signal),
    initialPageParam: {},
    getNextPageParam: (page) => {
      const last = page.at(-1)
      return page.length < PAGE || !last ? undefined : { before: last.at, before_id: last.id }
    },
    select: ({ pages }) => pages.flat(),
  })
}
