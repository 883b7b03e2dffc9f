import { Refine } from '@refinedev/core'
import routerProvider from '@refinedev/react-router'
import { Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { AccessProvider } from '@/access/access-provider'
import { engineComponents } from '@/app/components'
import { publishDeclaredPaths } from '@/app/declared-paths'
import { neighboursOf } from '@/app/neighbours'
import { PageBoundary } from '@/app/page-boundary'
import { usePageTitle } from '@/app/page-title'
import { PrivateRoutes } from '@/app/private-routes'
import { createQueryClient } from '@/app/query-client'
import { refineResources, resourcePaths } from '@/app/resource-routes'
import { Shell } from '@/app/shell/shell'
import { useTitle } from '@/app/use-title'
import { dataProvider } from '@/data/data-provider'
import { liveProvider } from '@/data/live'
import { EngineProvider } from '@/resource/engine-context'
import { prefetchListSettings } from '@/resource/preferences/settings-query'
import { CompanyScopeProvider } from '@/session/company-scope-provider'
import type { SessionUser } from '@/session/types'
import { useSession } from '@/session/use-session'
import { AntdProvider } from '@/ui/antd-provider'
import { LeaveHost } from '@/ui/leaving'
import { lazyPart } from '@/ui/load-chunk'
import { LoadingState } from '@/ui/loading-state'
import { PageHeader } from '@/ui/page-header'

const SessionDialog = lazyPart(() =>
  import('@/app/session-dialog').then((m) => ({ default: m.SessionDialog })),
)

publishDeclaredPaths(resourcePaths())
const resources = refineResources()

/** Everything that only a signed-in person loads. Mounted anew for every person. */
export function PrivateApp() {
  const { user, reloadUser, isExpired } = useSession()
  const [queryClient] = useState(() => createQueryClient({ onSessionEnded: () => void reloadUser() }))
  // Before the first list asks, which then opens as its reader wants it.
  useEffect(() => prefetchListSettings(queryClient), [queryClient])
  // What was read or missed while the session was over.
  const [wasExpired, setWasExpired] = useState(isExpired)
  useEffect(() => {
    setWasExpired(isExpired)
    if (wasExpired && !isExpired) void queryClient.invalidateQueries()
  }, [isExpired, wasExpired, queryClient])
  // Signing out leaves no row behind, not even in memory.
  useEffect(() => () => queryClient.clear(), [queryClient])
  if (!user) return null
  return (
    <Refine
      routerProvider={routerProvider}
      dataProvider={dataProvider}
      liveProvider={liveProvider}
      resources={resources}
      options={{
        disableTelemetry: true,
        disableRouteChangeHandler: true,
        syncWithLocation: false,
        liveMode: 'off',
        reactQuery: { clientConfig: queryClient },
      }}
    >
      <AntdProvider>
        <AccessProvider>
          <CompanyScopeProvider>
            <EngineProvider components={engineComponents}>
              <LeaveHost>
                <Page user={user} />
              </LeaveHost>
            </EngineProvider>
            {isExpired ? (
              <Suspense fallback={null}>
                <SessionDialog user={user} />
              </Suspense>
            ) : null}
          </CompanyScopeProvider>
        </AccessProvider>
      </AntdProvider>
    </Refine>
  )
}

function Page({ user }: { user: SessionUser }) {
  const { t } = useTranslation('shell')
  const { pathname } = useLocation()
  const label = useTitle()
  const tabs = neighboursOf(pathname, user.role).map((neighbour) => ({
    to: neighbour.path,
    label: label(neighbour.label),
  }))
  return (
    <Shell user={user} title={usePageTitle()}>
      <PageHeader tabs={tabs} tabsLabel={t('neighbours')} />
      <PageBoundary key={pathname}>
        <Suspense fallback={<LoadingState />}>
          <PrivateRoutes />
        </Suspense>
      </PageBoundary>
    </Shell>
  )
}
