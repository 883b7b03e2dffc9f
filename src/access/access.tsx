import type { ReactNode } from 'react'
import type { DenialReason } from '@/access/policy'
import { useAccess } from '@/access/use-access'
import { useVerdict } from '@/access/use-verdict'

interface AccessProps {
  resource: string
  action: string
  children: ReactNode
  /** Instead of the children when refused. */
  fallback?: ReactNode | ((reason: DenialReason) => ReactNode)
  /** While the policy is on its way. */
  loading?: ReactNode
  /** When the policy could not be read; given the way to try again. */
  error?: (retry: () => void) => ReactNode
}

/**
 * Renders its children for users with the permission. For actions that are only unavailable, see
 * GuardedButton.
 */
export function Access({ resource, action, children, fallback = null, loading = null, error }: AccessProps) {
  const { status, retry } = useAccess()
  const verdict = useVerdict(resource, action)
  if (status === 'loading') return loading
  if (status === 'error') return error?.(retry) ?? null
  if (verdict.allowed) return children
  return typeof fallback === 'function' ? fallback(verdict.reason) : fallback
}
