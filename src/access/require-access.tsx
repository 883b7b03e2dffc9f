import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { DenialReason } from '@/access/policy'
import { useAccessState } from '@/access/use-can'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'

interface RequireAccessProps {
  resource: string
  action: string
  /** Instead of the page, with the reason. */
  denied: (reason: DenialReason) => ReactNode
  children: ReactNode
}

/** Guards a route: never blank, whatever the policy says or however long it takes. */
export function RequireAccess({ resource, action, denied, children }: RequireAccessProps) {
  const { t } = useTranslation('access')
  const { status, can, retry } = useAccessState()
  if (status === 'loading') return <LoadingState />
  if (status === 'error')
    return <ErrorState title={t('error.title')} text={t('error.text')} onRetry={retry} />
  const verdict = can(resource, action)
  return verdict.allowed ? children : denied(verdict.reason)
}
