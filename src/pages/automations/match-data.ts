import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useRpc } from '@/refine/use-rpc'

export const PAGE_SIZE = 25

export interface MatchedDevice {
  id: string
  name: string
  platform: string | null
  status: string
  os: string | null
  /** Why the automation does not run on it now; null where it does. */
  reason: 'platform' | 'script' | 'offline' | 'running' | null
}

interface Matches {
  matches: number
  left_out: number
  rows: MatchedDevice[]
}

interface Question {
  automationId: string
  companyId: string
  isLeftOut?: boolean
  /** From 1. */
  page?: number
  /** For a start by hand, which takes only devices that the automation names. */
  isManual?: boolean
}

/** On which devices an automation would run now, one page of those that match or are left out. */
export function useMatches({
  automationId,
  companyId,
  isLeftOut = false,
  page = 1,
  isManual = false,
}: Question) {
  const query = useRpc<Matches>(
    {
      name: 'automation_matches',
      args: {
        automation_id: automationId,
        is_left_out: isLeftOut,
        skip: (page - 1) * PAGE_SIZE,
        take: PAGE_SIZE,
        is_manual: isManual,
      },
      resource: 'automations',
      companyId,
    },
    { placeholderData: (previous) => previous },
  )
  useLiveRefresh(
    companyId,
    ['devices', 'automations', 'automation_devices', 'automation_groups', 'automation_runs', 'group_devices'],
    [query],
  )
  return query
}
