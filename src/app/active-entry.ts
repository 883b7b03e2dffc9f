import { matchPath } from 'react-router'
import { entryOfList } from '@/app/neighbours'
import { resourcePages } from '@/app/resource-routes'
import { listPath } from '@/resource/definition/naming'
import { findDefinition } from '@/resource/registry'

/** The list that a record or a form belongs to; any other page is its own. */
function listOfPage(pathname: string): string {
  const page = resourcePages().find(({ path }) => matchPath(path, pathname) !== null)
  const definition = page ? findDefinition(page.resource) : null
  return definition ? listPath(definition) : pathname
}

/** The path of the sidebar entry to highlight: `/` only for the dashboard, others for all that belongs to them. */
export function activeEntry(pathname: string): string {
  return pathname === '/dashboard' ? '/' : entryOfList(listOfPage(pathname))
}

/** `page` on the entry's own page, `true` on one that belongs to it. */
export function ariaCurrent(entry: string, pathname: string): 'page' | 'true' | undefined {
  if (entry === pathname) return 'page'
  return activeEntry(pathname) === entry ? 'true' : undefined
}
