import { redirectFor } from '@/app/guards'
import { menuFor } from '@/app/menu'
import { tabsOfEntry } from '@/app/neighbours'
import { OWN_PAGES } from '@/app/own-pages'
import { resourcePages } from '@/app/resource-routes'
import { type TitleKey, titleKey } from '@/app/titles'
import type { Definition } from '@/resource/definition/definition.generated'
import { canCreate, createPath, listOf, listPath } from '@/resource/definition/naming'
import { resourceEntries } from '@/resource/registry'
import type { Role } from '@/session/types'

type Allows = (resource: string, action: string) => boolean

interface Destination {
  path: string
  /** Null for one of the console's own pages. */
  resource: string | null
  title: TitleKey
}

/**
 * Compares paths by their place in the sidebar: its entries with their tabs, then added resources, then the entries at
 * its end.
 */
export function bySidebar(role: Role): (a: string, b: string) => number {
  const { main, bottom } = menuFor(role, true)
  const withTabs = (entries: typeof main) => entries.flatMap(({ path }) => tabsOfEntry(path))
  const first = withTabs(main)
  const last = withTabs(bottom)
  const place = (path: string) => {
    if (first.includes(path)) return first.indexOf(path)
    return last.includes(path) ? first.length + 1 + last.indexOf(path) : first.length
  }
  return (a, b) => place(a) - place(b)
}

/** Every page that the user may open, in the sidebar's order: the console's own, and a list for each definition. */
export function openPages(role: Role, allows: Allows): Destination[] {
  const made = resourcePages().filter(({ screen }) => screen === 'list')
  const taken = new Set(made.map(({ path }) => path))
  const own = OWN_PAGES.filter(({ path }) => path !== '/dashboard' && !taken.has(path)).map((page) => ({
    path: page.path,
    resource: null,
    object: page.object,
  }))
  const lists = made.map(({ path, resource }) => ({ path, resource, object: resource }))
  const compare = bySidebar(role)
  return [...own, ...lists]
    .filter(({ path, object }) => redirectFor(role, path) === null && allows(object, 'list'))
    .sort((a, b) => compare(a.path, b.path))
    .map(({ path, resource }) => ({ path, resource, title: titleKey(path) }))
}

/** The declared views of every list that the user may open. */
export function openViews(
  role: Role,
  allows: Allows,
): { path: string; definition: Definition; view: string }[] {
  const compare = bySidebar(role)
  return resourceEntries()
    .flatMap(({ name, definition }) => {
      if (!definition || !allows(name, 'list') || redirectFor(role, listPath(definition)) !== null) return []
      const path = listPath(definition)
      return Object.keys(listOf(definition)?.views ?? {}).map((view) => ({ path, definition, view }))
    })
    .sort((a, b) => compare(a.path, b.path))
}

/** What the user may create, and where. */
export function openForms(role: Role, allows: Allows): { path: string; resource: string }[] {
  return resourceEntries().flatMap(({ name, definition }) => {
    if (!definition || !canCreate(definition) || !allows(name, 'create')) return []
    const path = createPath(definition)
    return redirectFor(role, path) === null ? [{ path, resource: name }] : []
  })
}
