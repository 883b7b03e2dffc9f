import { useInfiniteQuery } from '@tanstack/react-query'
import type { DataError } from '@/data/errors'
import { callRpc } from '@/data/rpc'
import { useLiveRefresh } from '@/pages/jobs/use-live-refresh'

/** The kinds of events, each with the resource it belongs to: its permission, its page and its words. */
export const TIMELINE_KINDS = {
  run: 'job_runs',
  alert: 'alerts',
  ticket: 'tickets',
  patch: 'device_patches',
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
  kind: TimelineKind
  title: string | null
  status: string | null
  actor: string | null
  record_id: string | null
  action: 'create' | 'edit' | 'delete' | null
  changes: unknown
}

interface Cursor {
  before?: string
  before_id?: string
}

/** How many the function returns at most; a shorter page is the last. */
const PAGE = 50
const TABLES = ['devices', 'job_runs', 'alerts', 'tickets', 'device_patches']

/** What happened to a device, newest first, page by page; `kind` null reads all kinds. */
export function useTimeline(companyId: string, deviceId: string, kind: TimelineKind | null) {
  const queryKey = [companyId, 'device_timeline', deviceId, kind]
  useLiveRefresh(companyId, TABLES, queryKey)
  return useInfiniteQuery<TimelineEntry[], DataError, TimelineEntry[], readonly unknown[], Cursor>({
    queryKey,
    queryFn: ({ pageParam }) =>
      callRpc<TimelineEntry[]>('device_timeline', {
        device_id: deviceId,
        ...(kind ? { kinds: [kind] } : {}),
        ...pageParam,
      }),
    initialPageParam: {},
    getNextPageParam: (page) => {
      const last = page.at(-1)
      return page.length < PAGE || !last ? undefined : { before: last.at, before_id: last.id }
    },
    select: ({ pages }) => pages.flat(),
  })
}
