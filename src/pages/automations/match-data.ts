import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useRpc } from '@/refine/use-rpc'

/** Why an automation does not run on a device now. */
export type LeftOutReason = 'platform' | 'script' | 'offline' | 'running'

/** On how many devices an automation would run now, and how many it would leave out for each reason. */
export interface Matches {
  matches: number
  left_out: Partial<Record<LeftOutReason, number>>
}

interface Question {
  automationId: string
  companyId: string
  /** For a start by hand, which takes only devices that the automation names. */
  isManual?: boolean
}

export function leftOutCount({ left_out }: Matches): number {
  return Object.values(left_out).reduce((sum, count) => sum + count, 0)
}

/** The tables whose changes change what an automation matches. */
export const MATCH_TABLES = [
  'devices',
  'automations',
  'automation_devices',
  'automation_groups',
  'automation_runs',
  'group_devices',
]

export function useMatches({ automationId, companyId, isManual = false }: Question) {
  const query = useRpc<Matches>(
    {
      name: 'automation_matches',
      args: { automation_id: automationId, is_manual: isManual },
      resource: 'automations',
      companyId,
    },
    { placeholderData: (previous) => previous },
  )
  useLiveRefresh(companyId, MATCH_TABLES, [query])
  return query
}
