import { useList, useMany } from '@refinedev/core'
import { useMemo } from 'react'
import { useRpc } from '@/refine/use-rpc'
import type { MatchingRows } from '@/resource/engine-context'
import type { Named } from './record-select'
import type { PlatformCount, Target } from './targets'

export const TARGET = 'id,name,company_id,status,platform,os'

/** Keeps what the dialog opened with, even when data behind it changes. */
const KEPT = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnWindowFocus: false }

/** The picker's initial choice: devices, groups, all devices of a filter, which may have a name, or of the company. */
export type TargetPreset =
  | { devices: Target[] }
  | { groups: Named[] }
  | { matching: MatchingRows; name?: string }
  | { all: true }

/** The devices or groups with these ids, by name, or the list's filter; undefined while they are being read. */
export function useTargetPreset(resource: string, ids: readonly string[], matching?: MatchingRows) {
  const isDevices = !matching && resource === 'devices' && ids.length > 0
  const isGroups = !matching && resource === 'groups' && ids.length > 0
  const { query: devices } = useMany<Target>({
    resource: 'devices',
    ids: isDevices ? [...ids] : [],
    meta: { select: TARGET },
    queryOptions: { ...KEPT, enabled: isDevices },
  })
  const { query: groups } = useList<Named>({
    resource: 'groups',
    filters: [{ field: 'id', operator: 'in', value: [...ids] }],
    pagination: { mode: 'off' },
    meta: { select: 'id,name', count: 'none' },
    queryOptions: { ...KEPT, enabled: isGroups },
  })
  const data = useMemo((): TargetPreset | undefined => {
    if (matching) return { matching }
    if (isDevices)
      return devices.data && { devices: devices.data.data.toSorted((a, b) => a.name.localeCompare(b.name)) }
    if (isGroups) return groups.data && { groups: groups.data.data }
    return { devices: [] }
  }, [matching, isDevices, isGroups, devices.data, groups.data])
  const query = isGroups ? groups : devices
  return { data, error: query.error, refetch: query.refetch }
}

/** A target as `app.target_query()` takes it. */
export type ServerTarget =
  | { kind: 'all'; company_id: string | null }
  | { kind: 'groups'; company_id: string | null; group_ids: string[] }
  | ({ kind: 'filter'; company_id: string | null } & MatchingRows)

export interface TargetPreview {
  /** The companies of the devices; two represent several. */
  companies: string[]
  platforms: PlatformCount[]
}

/** How many devices a target has now; null asks nothing. */
export function useTargetPreview(target: ServerTarget | null) {
  return useRpc<TargetPreview>(
    {
      name: 'preview_target',
      args: { target },
      resource: 'devices',
      companyId: target?.company_id ?? null,
    },
    { enabled: target !== null, placeholderData: (previous) => previous },
  )
}
