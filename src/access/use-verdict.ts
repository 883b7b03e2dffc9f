import type { Verdict } from '@/access/policy'
import { useAccess } from '@/access/use-access'

/** Whether the signed-in user may, and if not, why. Refused while the policy is on its way. */
export function useVerdict(resource: string, action: string): Verdict {
  return useAccess().can(resource, action)
}
