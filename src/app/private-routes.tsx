import type { ReactNode } from 'react'
import { Route, Routes } from 'react-router'
import type { DenialReason } from '@/access/policy'
import { Refused, RequireAccess } from '@/access/require-access'
import { useAccess } from '@/access/use-access'
import type { PageRoute } from '@/app/definition-routes'
import { consolePages, type Page } from '@/app/registry'
import { NeedsProView, ResourcePageView } from '@/app/resource-screens'

/** What is refused for want of a Pro licence says what that licence opens. */
function refusalOf({ name, definition }: Page) {
  return (reason: DenialReason) =>
    definition?.requires === 'pro' && reason === 'without-pro' ? (
      <NeedsProView resource={name} />
    ) : (
      <Refused reason={reason} />
    )
}

/** Whoever may not list a page's objects has none of its screens. */
function PageGuard({ page, children }: { page: Page; children: ReactNode }) {
  const { can } = useAccess()
  const object = page.objects.find((each) => !can(each, 'list').allowed) ?? page.objects[0] ?? page.name
  return (
    <RequireAccess resource={object} action="list" denied={refusalOf(page)}>
      {children}
    </RequireAccess>
  )
}

function screenOf(page: Page, { screen }: PageRoute): ReactNode {
  if (page.component) return <page.component />
  const view = <ResourcePageView resource={page.name} screen={screen} />
  if (screen === 'list') return view
  return (
    <RequireAccess resource={page.name} action={screen} denied={refusalOf(page)}>
      {view}
    </RequireAccess>
  )
}

/** A route for each page; `Page` of private-app.tsx has sent away whoever it is not meant for. */
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
                // One key a screen: a record stays as it is while only its tab, and with it the path, changes.
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
