import { type HttpError, type ILog, useLogList } from '@refinedev/core'
import type { DataError } from '@/data/errors'
import type { LogMeta } from '@/refine/audit-log-provider'
import { resourceKey } from '@/refine/keys'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'

/** A page of what happened to a record, the newest first; the page after an entry where one is given. */
export function useActivity(definition: Definition, id: string, after?: ILog) {
  const meta: LogMeta = after ? { id, before: after.createdAt, before_id: String(after.id) } : { id }
  const { data, error, refetch } = useLogList<ILog[], HttpError>({
    resource: tableOf(definition),
    meta: { ...meta },
    // Under the resource's key: a write or a live message reads it again with the record.
    queryOptions: { queryKey: [...resourceKey(definition.name), 'activity', meta] },
  })
  return { data, error: error as unknown as DataError | null, refetch }
}
