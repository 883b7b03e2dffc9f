import type { ResourceEntry } from '@/resource/language/entry'
import { canCreate, canEdit, createPath, hasShow, listPath, tabPaths } from '@/resource/language/naming'

export type Screen = 'list' | 'show' | 'create' | 'edit'

export interface PageRoute {
  path: string
  screen: Screen
}

/** The pages of one definition. An invalid definition still has its list page, which shows the errors. */
export function routesOf({ definition, name }: Pick<ResourceEntry, 'name' | 'definition'>): PageRoute[] {
  if (!definition) return [{ path: `/${name.replaceAll('_', '-')}`, screen: 'list' }]
  const list = listPath(definition)
  const route = (path: string, screen: Screen): PageRoute => ({ path, screen })
  return [
    ...(definition.list === false ? [] : [route(list, 'list')]),
    ...(canCreate(definition) ? [route(createPath(definition), 'create')] : []),
    ...tabPaths(definition).map((tab) => route(`${list}/:id/${tab}`, 'show')),
    ...(hasShow(definition) ? [route(`${list}/:id`, 'show')] : []),
    ...(canEdit(definition) ? [route(`${list}/:id/edit`, 'edit')] : []),
  ]
}
