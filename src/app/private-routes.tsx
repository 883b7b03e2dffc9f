import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Route, Routes } from 'react-router'
import type { DenialReason } from '@/access/policy'
import { RequireAccess } from '@/access/require-access'
import { useCan, useDenialText } from '@/access/use-can'
import type { PageRoute } from '@/app/definition-routes'
import { homePath } from '@/app/navigation'
import { usePageWords } from '@/app/page-words'
import { consolePages, type Page, removedPaths, useConsolePages } from '@/app/registry'
import { NeedsProView, RemovedView, ResourcePageView } from '@/app/resource-screens'
import { DeniedState } from '@/ui/denied-state'

interface RefusalProps {
  page: Page
  object: string
  action: string
  reason: DenialReason
}

/** Why a page is denied, and where to go instead: from a form, its list. */
function Refusal({ page, object, action, reason }: RefusalProps) {
  const { t } = useTranslation('access')
  const can = useCan()
  const words = usePageWords()
  const denialText = useDenialText()
  const way = action === 'list' ? homePath(can) : page.path
  const wayPage = consolePages().find(({ path }) => path === way)
  const titles = {
    create: t('page.createTitle', { name: words.label(page) }),
    edit: t('page.editTitle', { name: words.label(page) }),
  }
  return (
    <DeniedState
      title={Reflect.get(titles, action) ?? t('page.title', { name: words.label(page) })}
      text={
        reason === 'role'
          ? t(action === 'list' ? 'page.text' : 'page.formText', { permission: `${object}, ${action}` })
          : denialText(reason)
      }
      action={way && wayPage ? <Link to={way}>{t('page.home', { name: words.label(wayPage) })}</Link> : null}
    />
  )
}

function refusalOf(page: Page, object: string, action: string) {
  return (reason: DenialReason) => {
    const needsPro = reason === 'without-pro' && page.definition?.requires === 'pro'
    return needsPro ? (
      <NeedsProView resource={page.name} />
    ) : (
      <Refusal {...{ page, object, action, reason }} />
    )
  }
}

/** A user who may not list a page's objects has none of its screens. */
function PageGuard({ page, children }: { page: Page; children: ReactNode }) {
  const can = useCan()
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
  const pages = useConsolePages()
  return (
    <Routes>
      {removedPaths().map(({ name, path }) => (
        <Route key={path} path={path} element={<RemovedView resource={name} />} />
      ))}
      {pages.flatMap((page) =>
        [...page.routes, ...(page.alias === null ? [] : [{ path: page.alias, screen: 'list' as const }])].map(
          (route) => (
            <Route
              key={route.path}
              path={route.path}
              element={
                // Each screen has one key, so that a record stays mounted when only its tab changes.
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
