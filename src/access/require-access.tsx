import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Outlet } from 'react-router'
import { Access } from '@/access/access'
import type { DenialReason } from '@/access/policy'
import { useDenialText } from '@/access/use-denial-text'
import { DeniedState } from '@/ui/denied-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'

interface RequireAccessProps {
  resource: string
  action: string
  /** The page; as a layout route, its child routes. */
  children?: ReactNode
  /**
   * Rendered instead of the page when denied, such as a redirect; by default the denied state with its
   * reason.
   */
  denied?: (reason: DenialReason) => ReactNode
  loading?: ReactNode
}

/** The denied state, with its reason. */
function Refused({ reason }: { reason: DenialReason }) {
  const denialText = useDenialText()
  return <DeniedState text={denialText(reason)} />
}

/** Guards a route: never blank, whatever the policy says or however long it takes. */
export function RequireAccess({ resource, action, children, denied, loading }: RequireAccessProps) {
  const { t } = useTranslation('access')
  return (
    <Access
      resource={resource}
      action={action}
      loading={loading ?? <LoadingState />}
      error={(retry) => <ErrorState title={t('error.title')} text={t('error.text')} onRetry={retry} />}
      fallback={denied ?? ((reason) => <Refused reason={reason} />)}
    >
      {children ?? <Outlet />}
    </Access>
  )
}
