import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useRpc } from '@/refine/use-rpc'
import type { TabProps } from '@/resource/engine-context'

interface SideTicket {
  id: string
  number: number
  subject: string
  status: string
  /** Null where the reader may not read the statuses of the company. */
  status_name: string | null
  status_color: string | null
  created_at: string
}

interface SideDevice {
  id: string
  name: string
  status: string
}

interface SideRun {
  id: string
  job_id: string
  name: string
  status: string
  queued_at: string
}

export interface SideJob {
  id: string
  name: string
  outcome: string
  total: number
  succeeded: number
  failed: number
  /** The status of its run, where it has one alone. */
  run_status: string | null
  created_at: string
}

/** The answer of `ticket_side()`: as much as the signed-in user may see. */
export interface TicketSide {
  requester: { id: string; name: string; email: string | null } | null
  tickets: SideTicket[]
  devices: SideDevice[]
  device:
    | (SideDevice & {
        platform: string | null
        os: string | null
        ip_address: string | null
        logged_in_user: string | null
        open_alerts: number
        last_seen: string | null
      })
    | null
  alerts: { id: string; message: string; severity: string; opened_at: string }[]
  runs: SideRun[]
  jobs: SideJob[]
}

/** The parts beside a ticket share one request. A change of the ticket asks again. */
export function useTicketSide(record: TabProps['record']) {
  return useRpc<TicketSide>({
    name: 'ticket_side',
    args: { ticket_id: String(record.id) },
    asked: {
      ticket_id: String(record.id),
      requester_id: record.requester_id ?? null,
      device_id: record.device_id ?? null,
    },
  })
}

export type TicketSideQuery = ReturnType<typeof useTicketSide>

/** Follows these tables: several parts may do so, and the request stays one. */
export function useLiveSide(record: TabProps['record'], tables: readonly string[], query: TicketSideQuery) {
  const company = typeof record.company_id === 'string' ? record.company_id : null
  useLiveRefresh(
    company,
    tables,
    [
      {
        isEnabled: true,
        dataUpdatedAt: query.dataUpdatedAt,
        // Another part that asked a moment ago has its answer shared.
        refetch: () => query.refetch({ cancelRefetch: false }),
      },
    ],
    2000,
  )
}
