import { useCan } from '@refinedev/core'
import type { DenialReason, Verdict } from '@/access/policy'
import { useAccess } from '@/access/use-access'

/**
 * Whether the signed-in user has a permission, and if not, why. Denied while the policy is loading. Built on
 * Refine's `useCan`, seeded by the permission map: it answers at the first paint, and a new map is evaluated
 * again.
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
