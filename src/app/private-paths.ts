import { DEFINITION_PATHS } from 'virtual:definition-paths'
import { matchPath } from 'react-router'
import { PAGES } from '@/app/pages'

const PRIVATE_PATHS = [
  ...PAGES.flatMap(({ path, alias }) => (alias === undefined ? [path] : [path, alias])),
  ...DEFINITION_PATHS,
]

/** Whether an address is one of the console's private pages. Known before sign-in, without the definitions. */
export function isPrivatePath(pathname: string): boolean {
  return PRIVATE_PATHS.some((pattern) => matchPath(pattern, pathname) !== null)
}
