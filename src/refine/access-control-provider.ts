import { type AccessControlProvider, type CanReturnType, keys } from '@refinedev/core'
import type { Query, QueryClient } from '@tanstack/react-query'
import type { Can, RecordRead } from '@/access/policy'

function isRecord(value: unknown): value is RecordRead {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `params.record` is the record that is asked about, as `<CanAccess params={{ id, record }}>` passes it. */
function answer(can: Can, resource: string | undefined, action: string, params?: unknown): CanReturnType {
  const record = isRecord(params) && isRecord(params.record) ? params.record : undefined
  const verdict = can(resource ?? '', action, record)
  return verdict.allowed ? { can: true } : { can: false, reason: verdict.reason }
}

/**
 * Refine's access control over the permission map, which Casbin resolved once for the session. A record in `params` is
 * compared with the row rules of the role.
 */
export function createAccessControlProvider(can: Can): AccessControlProvider {
  return {
    can: async ({ resource, action, params }) => answer(can, resource, action, params),
    options: {
      buttons: { enableAccessControl: true, hideIfUnauthorized: true },
      // `answerAccess` writes each answer, and writes it again when the permissions change.
      queryOptions: { staleTime: Number.POSITIVE_INFINITY },
    },
  }
}

const ACCESS = keys().access().get()

/**
 * Refine's `useCan` and `<CanAccess>` read their answer as a query, which would leave the first paint empty. This writes
 * the answer into each such query as it is created, before anything is painted. Call `update` with new permissions.
 */
export function answerAccess(client: QueryClient, first: Can): { update: (next: Can) => void } {
  const cache = client.getQueryCache()
  let can = first
  const write = (query: Query) => {
    const [area, resource, action, params] = query.queryKey
    if (area === ACCESS[0] && typeof action === 'string')
      query.setData(answer(can, typeof resource === 'string' ? resource : undefined, action, params))
  }
  cache.subscribe(({ type, query }) => {
    if (type === 'added') write(query)
  })
  return {
    update: (next) => {
      if (next === can) return
      can = next
      for (const query of cache.findAll({ queryKey: ACCESS })) write(query)
    },
  }
}
