import { useList, useMany } from '@refinedev/core'
import { useMemo } from 'react'
import { MAX_TARGETS, type Target } from '@/pages/procedures/targets'

export const TARGET = 'id,name,company_id,status,platform,os'

/** Keeps what the dialog opened with, even when data behind it changes. */
const KEPT = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnWindowFocus: false }

const byName = (targets: readonly Target[]): Target[] =>
  targets.toSorted((a, b) => a.name.localeCompare(b.name))

/**
 * The devices with these ids, the members of the groups with these ids, or `all` devices of a company, each once. `null`
 * when there are more than a job can take: half of a group would be a wrong target.
 */
export function useTargets(
  resource: string,
  ids: readonly string[],
  { companyId = null, isKept = true }: { companyId?: string | null; isKept?: boolean } = {},
) {
  const isDevices = resource === 'devices' && ids.length > 0
  const isGroups = resource === 'groups' && ids.length > 0
  const isAll = resource === 'all'
  const kept = isKept ? KEPT : {}
  const { query: devices } = useMany<Target>({
    resource: 'devices',
    ids: isDevices ? [...ids] : [],
    meta: { select: TARGET },
    errorNotification: false,
    queryOptions: { ...kept, enabled: isDevices },
  })
  const { query: members } = useList<{ device: Target | null }>({
    resource: 'group_devices',
    filters: [{ field: 'group_id', operator: 'in', value: [...ids] }],
    pagination: { mode: 'off' },
    meta: { select: `device:devices(${TARGET})`, limit: MAX_TARGETS },
    errorNotification: false,
    queryOptions: { ...kept, enabled: isGroups },
  })
  const { query: all } = useList<Target>({
    resource: 'devices',
    pagination: { mode: 'off' },
    meta: { companyId, select: TARGET, limit: MAX_TARGETS },
    errorNotification: false,
    queryOptions: { ...kept, enabled: isAll },
  })
  const query = isGroups ? members : isAll ? all : devices
  const data = useMemo((): Target[] | null | undefined => {
    if (isDevices) return devices.data && byName(devices.data.data)
    if (isAll) {
      if (!all.data || all.data.total > MAX_TARGETS) return all.data && null
      return byName(all.data.data)
    }
    if (!isGroups) return []
    if (!members.data || members.data.total > MAX_TARGETS) return members.data && null
    const found = members.data.data.flatMap(({ device }) => device ?? [])
    return byName([...new Map(found.map((device) => [device.id, device])).values()])
  }, [isDevices, isGroups, isAll, devices.data, members.data, all.data])
  return { data, query, error: query.error, refetch: query.refetch }
}
