import { redirectFor } from '@/app/guards'
import { OWN_PAGES } from '@/app/own-pages'
import { resourcePages } from '@/app/resource-routes'
import { type TitleKey, titleKey } from '@/app/titles'
import { canCreate, createPath } from '@/resource/definition/naming'
import { resourceEntries } from '@/resource/registry'
import type { Role } from '@/session/types'

type Allows = (resource: string, action: string) => boolean

interface Destination {
  path: string
  /** Null for one of the console's own pages. */
  resource: string | null
  title: TitleKey
}

/** Every page of its own address that somebody may open: the console's own, and a list for each definition. */
export function openPages(role: Role, allows: Allows): Destination[] {
  const made = resourcePages().filter(({ screen }) => screen === 'list')
  const taken = new Set(made.map(({ path }) => path))
  const own = OWN_PAGES.filter(({ path }) => path !== '/dashboard' && !taken.has(path)).map((page) => ({
    path: page.path,
    resource: null,
    object: page.object,
  }))
  const lists = made.map(({ path, resource }) => ({ path, resource, object: resource }))
  return [...own, ...lists]
    .filter(({ path, object }) => redirectFor(role, path) === null && allows(object, 'list'))
    .map(({ path, resource }) => ({ path, resource, title: titleKey(path) }))
}

/** What somebody may make a new one of, and where. */
export function openForms(role: Role, allows: Allows): { path: string; resource: string }[] {
  return resourceEntries().flatMap(({ name, definition }) => {
    if (!definition || !canCreate(definition) || !allows(name, 'create')) return []
    const path = createPath(definition)
    return redirectFor(role, path) === null ? [{ path, resource: name }] : []
  })
}
