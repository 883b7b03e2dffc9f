import { useMemo } from 'react'
import { matchPath, useLocation } from 'react-router'
import { resourcePages } from '@/app/resource-routes'
import { titleKey } from '@/app/titles'
import { useTitle } from '@/app/use-title'
import { useResourceLabels } from '@/resource/words'

/** The top bar's title; a page without one in the specification is titled by its definition's label. */
export function usePageTitle(): string {
  const { pathname } = useLocation()
  const title = useTitle()
  const label = useResourceLabels()
  const pages = useMemo(resourcePages, [])
  const key = titleKey(pathname)
  const page = key === 'product' ? pages.find(({ path }) => matchPath(path, pathname) !== null) : undefined
  if (!page) return title(key)
  return page.screen === 'list' ? label(page.resource).many : label(page.resource).one
}
