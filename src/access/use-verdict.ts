import { useCan } from '@refinedev/core'
import type { DenialReason, Verdict } from '@/access/policy'
import { useAccess } from '@/access/use-access'

/**
 * Whether the signed-in user may, and if not, why. Refused while the policy is on its way. Refine's `useCan`, which knows
 * at the first paint: the permission map answers at once, and a new map asks again.
 */
export function useVerdict(resource: string, action: string): Verdict {
  const { can, version } = useAccess()
  const { data } = useCan({
    resource,
    action,
    params: { version },
    queryOptions: {
      initialData: () => {
        const verdict = can(resource, action)
        return verdict.allowed ? { can: true } : { can: false, reason: verdict.reason }
      },
    },
  })
  return data?.can ? { allowed: true } : { allowed: false, reason: (data?.reason ?? 'role') as DenialReason }
}
