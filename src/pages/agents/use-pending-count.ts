import { useList } from '@refinedev/core'
import { useCompanyScope } from '@/session/use-company-scope'

/** The number of devices waiting for approval: all, or those with one token. */
export function usePendingCount({ tokenId, isEnabled = true }: { tokenId?: string; isEnabled?: boolean }) {
  const { companyId } = useCompanyScope()
  const { query } = useList({
    resource: 'enrollment_requests',
    filters: [
      { field: 'status', operator: 'eq', value: 'pending' },
      ...(tokenId === undefined ? [] : [{ field: 'token_id', operator: 'eq', value: tokenId } as const]),
    ],
    meta: { companyId, count: 'only' },
    queryOptions: { enabled: isEnabled },
  })
  return { query, count: query.data?.total ?? 0 }
}
