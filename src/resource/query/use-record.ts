import { type BaseRecord, type HttpError, useOne } from '@refinedev/core'
import type { DataError } from '@/data/errors'
import type { Row } from '@/data/rows'
import type { ConsoleMeta } from '@/refine/data-provider'
import type { Cache } from '@/refine/use-cache'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { findDefinition } from '@/resource/definition/registry'
import { refreshInterval } from '@/resource/query/refresh'
import { buildSelect } from '@/resource/query/select'
import type { ResourceScope } from '@/resource/query/use-scope'

/** How a whole record is read: one question, so that its page, its form and a prefetch share the answer. */
export function recordMeta(definition: Definition, scope: ResourceScope): ConsoleMeta {
  return {
    table: tableOf(definition),
    companyId: definition.tenant === false ? null : scope.companyId,
    select: buildSelect(definition, Object.keys(definition.fields), findDefinition),
  }
}

export function useRecord(definition: Definition, id: string, scope: ResourceScope) {
  const { query } = useOne<BaseRecord, HttpError>({
    resource: definition.name,
    id,
    meta: recordMeta(definition, scope),
    errorNotification: false,
    queryOptions: { refetchInterval: refreshInterval(definition) },
  })
  return {
    data: query.data?.data as Row | undefined,
    error: query.error as unknown as DataError | null,
    isPending: query.isPending,
    isFetching: query.isFetching,
    dataUpdatedAt: query.dataUpdatedAt,
    refetch: () => query.refetch().then(({ data }) => data?.data as Row | undefined),
  }
}

/** Under the pointer, a row's record is read before it is opened. */
export function prefetchRecord(cache: Cache, definition: Definition, id: string, scope: ResourceScope): void {
  void cache.prefetchOne(definition.name, id, recordMeta(definition, scope))
}
