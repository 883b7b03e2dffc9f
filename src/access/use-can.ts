import { createContext, useCallback, useContext } from 'react'
import { useTranslation } from 'react-i18next'
import type { Can, DenialReason } from '@/access/policy'

interface AccessState {
  /** `error`: the policy could not be read and there is no earlier one; everything is refused. */
  status: 'loading' | 'ready' | 'error'
  /** Another function with each change of the permissions. */
  can: Can
  /** Whether the user lists some rows of the resource alone, by a row rule of their lines. */
  isLimited?: (resource: string) => boolean
  retry: () => void
}

export const AccessContext = createContext<AccessState | null>(null)

/** For what must know whether there is a policy at all. To ask it, use `useCan`. */
export function useAccessState(): AccessState {
  const value = useContext(AccessContext)
  if (!value) throw new Error('useCan needs AccessProvider above it')
  return value
}

/**
 * Asks the permissions of the signed-in user: `const can = useCan()`, then `can('devices', 'edit').allowed`, or with a record
 * that was read, `can('tickets', 'edit', ticket)`, which its row rules may leave out. Denied while the policy is loading.
 *
 * Refine's hook of the same name asks one question per call and keeps the answer as a query. A cell, a menu or a loop
 * asks many, so this one returns the question. Both, and Refine's `<CanAccess>`, read the same permission map.
 */
export function useCan(): Can {
  return useAccessState().can
}

/** Whether the user lists some rows of a resource alone, by a row rule of their lines. */
export function useIsLimited(): ((resource: string) => boolean) | undefined {
  return useAccessState().isLimited
}

/** A reason in the reader's words. */
export function useDenialText(): (reason: DenialReason) => string {
  const { t } = useTranslation('access')
  return useCallback((reason: DenialReason) => t(`reasons.${reason}`), [t])
}
