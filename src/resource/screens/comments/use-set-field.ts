import { type BaseRecord, type HttpError, useUpdate } from '@refinedev/core'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { useRefresh } from '@/resource/request/query/use-write'

/** Sets one field of a record, whatever version it has: a value that is chosen from a list replaces any other. */
export function useSetField(definition: Definition, record: Row) {
  const scope = useResourceScope()
  const refresh = useRefresh(definition)
  const { mutateAsync } = useUpdate<BaseRecord, HttpError, Row>()
  /** @throws DataError */
  return async (name: string, value: unknown): Promise<void> => {
    try {
      await mutateAsync({
        resource: definition.name,
        id: String(record.id),
        values: { [name]: value },
        meta: {
          table: tableOf(definition),
          companyId: definition.tenant === false ? null : scope.companyId,
        },
        invalidates: [],
        successNotification: false,
        errorNotification: false,
      })
    } finally {
      await refresh()
    }
  }
}
