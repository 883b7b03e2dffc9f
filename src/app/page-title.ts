import { useMemo } from 'react'
import { matchPath, useLocation } from 'react-router'
import { isPrivatePath } from '@/app/paths'
import { resourcePages } from '@/app/resource-routes'
import { titleKey } from '@/app/titles'
import { useTitle } from '@/app/use-title'
import { useResourceLabels } from '@/resource/words'

/** The top bar's title; pages that only a definition has are titled by its label. */
export function usePageTitle(): string {
  const { pathname } = useLocation()
  const title = useTitle()
  const label = useResourceLabels()
  const pages = useMemo(resourcePages, [])
  const key = titleKey(pathname)
  if (key !== 'product' || isPrivatePath(pathname)) return title(key)
  const page = pages.find(({ path }) => matchPath(path, pathname) !== null)
  return page ? label(page.resource).many : title(key)
}
