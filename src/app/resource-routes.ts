import { isNeighbour } from '@/app/neighbours'
import { PRIVATE_PATHS } from '@/app/paths'
import type { Definition } from '@/resource/definition/definition.generated'
import { canCreate, canEdit, createPath, hasShow, listPath, tabPaths } from '@/resource/definition/naming'
import { type ResourceEntry, resourceEntries } from '@/resource/registry'

export type ResourceScreen = 'list' | 'show' | 'create' | 'edit'

export interface ResourcePage {
  path: string
  resource: string
  screen: ResourceScreen
}

/** A file that is no usable definition still has its page: there it says what is wrong with it. */
export function pagesOf(entry: Pick<ResourceEntry, 'name' | 'definition'>): ResourcePage[] {
  const { definition, name } = entry
  if (!definition) return [{ path: `/${name.replaceAll('_', '-')}`, resource: name, screen: 'list' }]
  const list = listPath(definition)
  const page = (path: string, screen: ResourceScreen): ResourcePage => ({ path, resource: name, screen })
  return [
    ...(definition.list === false ? [] : [page(list, 'list')]),
    ...(canCreate(definition) ? [page(createPath(definition), 'create')] : []),
    // Before the record itself, which is the one that stands for the screen where only one can.
    ...tabPaths(definition).map((tab) => page(`${list}/:id/${tab}`, 'show')),
    ...(hasShow(definition) ? [page(`${list}/:id`, 'show')] : []),
    ...(canEdit(definition) ? [page(`${list}/:id/edit`, 'edit')] : []),
  ]
}

export function resourcePages(): ResourcePage[] {
  return resourceEntries().flatMap(pagesOf)
}

export function resourcePaths(): string[] {
  return resourcePages().map((page) => page.path)
}

function isOwnPath(path: string): boolean {
  return PRIVATE_PATHS.some((own) => own === path)
}

function listPathOf(entry: Pick<ResourceEntry, 'name'> & { definition: Definition | null }): string {
  return entry.definition ? listPath(entry.definition) : `/${entry.name.replaceAll('_', '-')}`
}

/** What an operator added beyond the console's own pages: they follow in the menu, below a divider. */
export function addedResources(
  entries: readonly ResourceEntry[] = resourceEntries(),
): { name: string; path: string }[] {
  return entries
    .filter((entry) => entry.definition?.list !== false)
    .map((entry) => ({ name: entry.name, path: listPathOf(entry) }))
    .filter(({ path }) => !isOwnPath(path) && !isNeighbour(path))
}

/** Refine's own list of them, for its hooks that navigate by resource name. */
export function refineResources(): { name: string }[] {
  return resourceEntries().map((entry) => {
    const paths = Object.fromEntries(pagesOf(entry).map((page) => [page.screen, page.path]))
    return { ...paths, name: entry.name }
  })
}
