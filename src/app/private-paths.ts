import { BUNDLED_PATHS } from 'virtual:definitions'
import { matchPath } from 'react-router'
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
