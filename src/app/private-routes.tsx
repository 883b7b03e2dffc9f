import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Route, Routes } from 'react-router'
import type { DenialReason } from '@/access/policy'
import { Refused, RequireAccess } from '@/access/require-access'
import { useAccess } from '@/access/use-access'
import type { PageRoute } from '@/app/definition-routes'
import { homePath } from '@/app/navigation'
import { usePageWords } from '@/app/page-words'
import { consolePages, type Page } from '@/app/registry'
import { NeedsProView, ResourcePageView } from '@/app/resource-screens'
import { DeniedState } from '@/ui/denied-state'

/** A page that the role does not include, with the permission to ask for. */
function OutOfRole({ page, object, action }: { page: Page; object: string; action: string }) {
  const { t } = useTranslation('access')
  const { can } = useAccess()
  const words = usePageWords()
  const home = homePath(can)
  const homePage = consolePages().find(({ path }) => path === home)
  return (
    <DeniedState
      title={t('page.title', { name: words.label(page) })}
      text={t('page.text', { permission: `${object}, ${action}` })}
      action={
        home && homePage ? <Link to={home}>{t('page.home', { name: words.label(homePage) })}</Link> : null
      }
    />
  )
}

function refusalOf(page: Page, object: string, action: string) {
  return (reason: DenialReason) => {
    if (reason === 'role') return <OutOfRole page={page} object={object} action={action} />
    const needsPro = reason === 'without-pro' && page.definition?.requires === 'pro'
    return needsPro ? <NeedsProView resource={page.name} /> : <Refused reason={reason} />
  }
}

/** A user who may not list a page's objects has none of its screens. */
function PageGuard({ page, children }: { page: Page; children: ReactNode }) {
  const { can } = useAccess()
  const object = page.objects.find((each) => !can(each, 'list').allowed) ?? page.objects[0] ?? page.name
  return (
    <RequireAccess resource={object} action="list" denied={refusalOf(page, object, 'list')}>
      {children}
    </RequireAccess>
  )
}

function screenOf(page: Page, { screen }: PageRoute): ReactNode {
  if (page.component) return <page.component />
  const view = <ResourcePageView resource={page.name} screen={screen} />
  if (screen === 'list') return view
  return (
    <RequireAccess resource={page.name} action={screen} denied={refusalOf(page, page.name, screen)}>
      {view}
    </RequireAccess>
  )
}

/** A route for each page. `redirectFrom` has already redirected the users whom the specification redirects. */
export function PrivateRoutes() {
  return (
    <Routes>
      {consolePages().flatMap((page) =>
        [...page.routes, ...(page.alias === null ? [] : [{ path: page.alias, screen: 'list' as const }])].map(
          (route) => (
            <Route
              key={route.path}
              path={route.path}
              element={
                // One key per screen, so that a record stays mounted when only its tab changes.
                <PageGuard key={`${page.name}/${route.screen}`} page={page}>
                  {screenOf(page, route)}
                </PageGuard>
              }
            />
          ),
        ),
      )}
    </Routes>
  )
}
