import type { Location } from 'react-router'
import { isPrivatePath } from '@/app/private-paths'

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
