import { BUNDLED_PATHS } from 'virtual:definitions'
import { type Location, matchPath } from 'react-router'
import { PAGES } from '@/app/pages'
import { definitionPaths } from '@/ui/console-files'

const KNOWN_PATHS = [
  ...PAGES.flatMap(({ path, alias }) => (alias === undefined ? [path] : [path, alias])),
  ...BUNDLED_PATHS,
]

/** Whether an address is one of the console's private pages. Known before sign-in, without the definitions. */
export function isPrivatePath(pathname: string): boolean {
  return [...KNOWN_PATHS, ...definitionPaths()].some((pattern) => matchPath(pattern, pathname) !== null)
}

/** History state of a redirect to the sign-in page: where the visitor wanted to go. */
export function wantedState({ pathname, search, hash }: Pick<Location, 'pathname' | 'search' | 'hash'>) {
  return { wanted: `${pathname}${search}${hash}` }
}

/**
 * Where a sign-in leads: the page that was wanted, or the dashboard. Only paths of this console count, so that no
 * history entry can lead to another origin or back to a public page.
 */
export function pageAfterSignIn(state: unknown): string {
  const wanted = (state as { wanted?: unknown } | null)?.wanted
  if (typeof wanted !== 'string' || !/^\/(?![/\\])/.test(wanted)) return '/'
  const { origin, pathname, search, hash } = new URL(wanted, 'http://console.invalid')
  if (origin !== 'http://console.invalid' || !isPrivatePath(pathname)) return '/'
  return `${pathname}${search}${hash}`
}
