import { type BaseRecord, type HttpError, useDeleteMany } from '@refinedev/core'
import type { Row } from '@/data/rows'
import { useCache } from '@/refine/use-cache'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import type { ResourceScope } from '@/resource/query/use-scope'

/** Everything of the resource is read again after a write: lists, counts, records, pickers. */
export function useRefresh(definition: Definition): () => Promise<void> {
  const cache = useCache()
  return async () => {
    // Written through a view, its tables have changed too: pickers of people read `profiles`, not `users`.
    const tables = Array.isArray(definition.live) ? definition.live : []
    await Promise.all([definition.name, ...tables].map((name) => cache.invalidate(name)))
  }
}

export function useDeleteRecords(definition: Definition, scope: ResourceScope) {
  const refresh = useRefresh(definition)
  const { mutateAsync, mutation } = useDeleteMany<BaseRecord, HttpError>()
  return {
    isPending: mutation.isPending,
    /** Returns the deleted rows, which may be fewer than requested. @throws DataError */
    remove: async (ids: readonly string[]): Promise<Row[]> => {
      try {
        const { data } = await mutateAsync({
          resource: definition.name,
          ids: [...ids],
          meta: {
            table: tableOf(definition),
            companyId: definition.tenant === false ? null : scope.companyId,
          },
          invalidates: [],
          successNotification: false,
          errorNotification: false,
        })
        return data as Row[]
      } finally {
        await refresh()
      }
    },
  }
}
