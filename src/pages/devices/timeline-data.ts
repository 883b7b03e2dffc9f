import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useRpc } from '@/refine/use-rpc'

/** The kinds of events, each with the resource it belongs to: its permission, its page and its words. */
export const TIMELINE_KINDS = {
  run: 'job_runs',
  alert: 'alerts',
  ticket: 'tickets',
  patch: 'device_patches',
  software: 'software_changes',
  change: 'audit_log',
} as const

export type TimelineKind = keyof typeof TIMELINE_KINDS

export function isTimelineKind(value: string | undefined): value is TimelineKind {
  return value !== undefined && Object.hasOwn(TIMELINE_KINDS, value)
}

/** A row of the database function `device_timeline`. */
export interface TimelineEntry {
  id: string
  at: string
  kind: TimelineKind | 'policy' | 'tag' | 'group' | 'exception'
  title: string | null
  status: string | null
  actor: string | null
  record_id: string | null
  action: 'create' | 'edit' | 'delete' | null
  changes: unknown
}

/** The function's page size; a shorter page is the last one. */
export const TIMELINE_PAGE = 50
const TABLES = [
  'devices',
  'job_runs',
  'alerts',
  'tickets',
  'device_patches',
  'software_changes',
  'group_devices',
  'patch_exceptions',
]

interface TimelineQuestion {
  companyId: string
  deviceId: string
  /** Null reads all kinds. */
  kind: TimelineKind | null
  /** The last entry of the page before. */
  after?: TimelineEntry | undefined
}

/** Reads one page of a device's events, newest first. */
export function useTimelinePage({ companyId, deviceId, kind, after }: TimelineQuestion) {
  const query = useRpc<TimelineEntry[]>(
    {
      name: 'device_timeline',
      args: {
        device_id: deviceId,
        ...(kind ? { kinds: [kind] } : {}),
        ...(after ? { before: after.at, before_id: after.id } : {}),
      },
      companyId,
    },
    // A new entry shifts the pages below; they stay until the shifted ones have loaded.
    after ? { placeholderData: (previous) => previous } : {},
  )
  useLiveRefresh(companyId, TABLES, [query])
  return query
}
