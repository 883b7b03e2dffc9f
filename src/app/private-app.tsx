import type { AuditLogProvider } from '@refinedev/core'
import { DocumentTitleHandler } from '@refinedev/react-router'
import i18next from 'i18next'
import { Component, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, useLocation } from 'react-router'
import { AccessProvider } from '@/access/access-provider'
import { useAccessState, useCan } from '@/access/use-can'
import { commentSlots } from '@/app/comment-sources'
import { redirectFrom, tabsOver } from '@/app/navigation'
import { usePageWords } from '@/app/page-words'
import { PrivateRoutes } from '@/app/private-routes'
import { refineResources } from '@/app/refine-resources'
import { findPage, useConsolePages } from '@/app/registry'
import { engineComponents } from '@/app/resource-screens'
import { Shell } from '@/app/shell/shell'
import { config, supabase } from '@/data/client'
import { createAuditLogProvider } from '@/refine/audit-log-provider'
import { ConsoleRefine } from '@/refine/console-refine'
import { createDataProvider } from '@/refine/data-provider'
import { liveProvider } from '@/refine/live-provider'
import { useCache } from '@/refine/use-cache'
import { EngineProvider } from '@/resource/engine-context'
import { meetsRule } from '@/resource/request/filter/row-rules'
import { prefetchListSettings } from '@/resource/request/query/saved-views'
import { CommentSlotsContext } from '@/resource/screens/comments/comment-slots'
import { CompanyScopeProvider } from '@/session/company-scope-provider'
import { useSession } from '@/session/use-session'
import { AntdProvider } from '@/ui/antd-provider'
import { ErrorState } from '@/ui/error-state'
import { FullScreenSpinner } from '@/ui/full-screen-spinner'
import { LeaveHost } from '@/ui/leaving'
import { lazyPart, reloadPastCache } from '@/ui/load-chunk'
import { PartLoading } from '@/ui/loading-state'
import { PageHeader } from '@/ui/page-header'

export { takeDefinitions } from '@/app/console-updates'

const SessionDialog = lazyPart(() =>
  import('@/app/session-dialog').then((m) => ({ default: m.SessionDialog })),
)

// Refine reads its texts without waiting for them to load.
void i18next.loadNamespaces('refine')
const dataProvider = createDataProvider(supabase, config.url)
const auditLogProvider = createAuditLogProvider(supabase) as AuditLogProvider

/** Everything that only a signed-in person loads. Mounted anew for every person. */
export function PrivateApp() {
  const { user, isExpired } = useSession()
  if (!user) return null
  return (
    <AccessProvider meetsRule={meetsRule}>
      <PrivateRefine>
        <CacheUpkeep />
        <AntdProvider>
          <CompanyScopeProvider>
            <EngineProvider components={engineComponents}>
              <CommentSlotsContext.Provider value={commentSlots}>
                <LeaveHost>
                  <Page />
                </LeaveHost>
              </CommentSlotsContext.Provider>
            </EngineProvider>
            {isExpired ? (
              <Suspense fallback={null}>
                <SessionDialog user={user} />
              </Suspense>
            ) : null}
          </CompanyScopeProvider>
        </AntdProvider>
      </PrivateRefine>
    </AccessProvider>
  )
}

function PrivateRefine({ children }: { children: ReactNode }) {
  const can = useCan()
  const words = usePageWords()
  const pages = useConsolePages()
  const resources = useMemo(() => refineResources(words, pages), [words, pages])
  return (
    <ConsoleRefine
      dataProvider={dataProvider}
      liveProvider={liveProvider}
      auditLogProvider={auditLogProvider}
      can={can}
      resources={resources}
    >
      {children}
    </ConsoleRefine>
  )
}

function CacheUpkeep() {
  const { isExpired } = useSession()
  const cache = useCache()
  // Before the first list loads, so that it opens with the user's settings.
  useEffect(() => prefetchListSettings(cache), [cache])
  // Data read, or changes missed, after the session had ended.
  const [wasExpired, setWasExpired] = useState(isExpired)
  useEffect(() => {
    setWasExpired(isExpired)
    if (wasExpired && !isExpired) void cache.invalidateAll()
  }, [isExpired, wasExpired, cache])
  return null
}

function Page() {
  const { t } = useTranslation('shell')
  const { pathname } = useLocation()
  const { status } = useAccessState()
  const can = useCan()
  const words = usePageWords()
  useConsolePages()
  // The menu and every page depend on the permissions, so nothing is shown without them.
  if (status === 'loading') return <FullScreenSpinner />
  const redirect = redirectFrom(pathname, can)
  if (redirect !== null) return <Navigate to={redirect} replace />
  const found = findPage(pathname)
  const documentTitle = words.documentTitle(found)
  const rows = tabsOver(pathname, can).map(({ tabs, current }) =>
    tabs.map((page) => ({ to: page.path ?? '', label: words.label(page), isCurrent: page === current })),
  )
  return (
    <Shell title={words.title(found)}>
      {/* It follows the address only: another language is another title. */}
      <DocumentTitleHandler key={documentTitle} handler={() => documentTitle} />
      {rows.map((tabs, level) => (
        <PageHeader
          key={tabs[0]?.to}
          tabs={tabs}
          // The second row is named after the tab that it belongs to.
          tabsLabel={level === 0 ? t('neighbors') : tabs[0]?.label}
        />
      ))}
      <PageBoundary key={pathname}>
        <Suspense fallback={<PartLoading />}>
          <PrivateRoutes />
        </Suspense>
      </PageBoundary>
    </Shell>
  )
}

interface PageBoundaryProps {
  children: ReactNode
}

/** Keeps the shell around the message when a page crashes, or its file is gone after an upgrade. */
export class PageBoundary extends Component<PageBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Failure /> : this.props.children
  }
}

function Failure() {
  const { t } = useTranslation('common')
  return (
    <ErrorState
      title={t('states.crashTitle')}
      text={t('states.crashText')}
      onRetry={() => void reloadPastCache()}
    />
  )
}
