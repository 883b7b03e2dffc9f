import { useOne } from '@refinedev/core'
import type { AskedScript } from '@/runs/targets/targets'

/** The script of a scheduled task, for the devices that it leaves out; null while it is unknown. */
export function useScheduledScript(procedureId: unknown, companyId: string | null): AskedScript | null {
  const id = typeof procedureId === 'string' ? procedureId : null
  const { query } = useOne<AskedScript & { id: string }>({
    resource: 'procedures',
    id: id ?? '',
    meta: { companyId, select: 'id,type,platforms' },
    queryOptions: { enabled: id !== null },
  })
  return id === null ? null : (query.data?.data ?? null)
}
