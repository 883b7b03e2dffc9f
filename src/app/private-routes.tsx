import { useMemo } from 'react'
import { Route, Routes } from 'react-router'
import type { DenialReason } from '@/access/policy'
import { Refused, RequireAccess } from '@/access/require-access'
import { OWN_PAGES, WITHOUT_DEFINITION } from '@/app/own-pages'
import { resourcePages } from '@/app/resource-routes'
import { NeedsProView, ResourcePageView } from '@/app/resource-screens'
import { findDefinition } from '@/resource/registry'

/** What is refused for want of a Pro licence says what that licence opens. */
function refusalOf(resource: string) {
  const isPro = findDefinition(resource)?.requires === 'pro'
  return (reason: DenialReason) =>
    isPro && reason === 'without-pro' ? <NeedsProView resource={resource} /> : <Refused reason={reason} />
}

/** Own pages and those the definitions make; a definition that has an own page's path replaces it. */
export function PrivateRoutes() {
  const made = useMemo(resourcePages, [])
  const taken = new Set(made.map((page) => page.path))
  return (
    <Routes>
      {made.map((page) => (
        <Route
          key={page.path}
          path={page.path}
          element={
            // One key a screen: a record stays as it is while only its tab, and with it the path, changes.
            <RequireAccess
              key={`${page.resource}/${page.screen}`}
              resource={page.resource}
              action={page.screen}
              denied={refusalOf(page.resource)}
            >
              <ResourcePageView resource={page.resource} screen={page.screen} />
            </RequireAccess>
          }
        />
      ))}
      {OWN_PAGES.filter((page) => !taken.has(page.path)).map(({ path, object, page }) => (
        <Route
          key={path}
          path={path}
          element={
            <RequireAccess key={path} resource={object} action="list">
              {page}
            </RequireAccess>
          }
        />
      ))}
      <Route path="*" element={WITHOUT_DEFINITION} />
    </Routes>
  )
}
