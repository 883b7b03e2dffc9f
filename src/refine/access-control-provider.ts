import type { AccessControlProvider } from '@refinedev/core'
import type { AccessValue } from '@/access/access-context'

/**
 * Refine's access control over the permission map, which Casbin resolved once for the session. A record does not change
 * the answer: rows are the database's to refuse.
 */
export function createAccessControlProvider(can: AccessValue['can']): AccessControlProvider {
  return {
    can: async ({ resource, action }) => {
      const verdict = can(resource ?? '', action)
      return verdict.allowed ? { can: true } : { can: false, reason: verdict.reason }
    },
    options: {
      buttons: { enableAccessControl: true, hideIfUnauthorized: true },
      // The map is replaced as a whole, with the provider, when the policy changes.
      queryOptions: { staleTime: Number.POSITIVE_INFINITY },
    },
  }
}
