import type { ComponentType } from 'react'
import { matchPath } from 'react-router'
import { type PageRoute, routesOf, type Screen } from '@/app/definition-routes'
import { type HandWrittenPage, type IconName, PAGES, type Section } from '@/app/pages'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceEntry } from '@/resource/language/entry'
import { removedEntries, resourceEntries, useDefinitionsVersion } from '@/resource/language/registry'

/** A page of the console with what lies below it: a list with its forms and records, or a page written by hand. */
export interface Page {
  name: string
  /** Address of the list or page; null for a resource without a list. */
  path: string | null
  alias: string | null
  routes: readonly PageRoute[]
  section: Section
  /** The page that has this one as a tab. */
  parent: string | null
  position: number
  group: string | null
  icon: IconName | null
  /** Permission objects; all must allow `list`. */
  objects: readonly string[]
  /** A hand-written page's title in `shell:titles`; null for a definition, which has its own texts. */
  label: HandWrittenPage['label'] | null
  definition: Definition | null
  component: ComponentType | null
}

const SECTIONS: readonly (readonly Section[])[] = [['main'], ['added', 'none'], ['bottom']]

function fromDefinition(
  entry: ResourceEntry,
  replaced: HandWrittenPage | undefined,
  routes: readonly PageRoute[],
): Page {
  const { name, definition } = entry
  return {
    name,
    path: routes.find(({ screen }) => screen === 'list')?.path ?? null,
    alias: replaced?.alias ?? null,
    routes,
    section: definition?.section ?? replaced?.section ?? 'added',
    parent: definition?.parent ?? replaced?.parent ?? null,
    position: definition?.position ?? replaced?.position ?? Number.POSITIVE_INFINITY,
    group: definition?.group ?? null,
    icon: definition?.icon ?? null,
    objects: definition?.page_object === undefined ? [name] : [name, definition.page_object],
    label: null,
    definition,
    component: null,
  }
}

function fromHandWritten(page: HandWrittenPage): Page {
  return {
    ...page,
    alias: page.alias ?? null,
    routes: [{ path: page.path, screen: 'list' }],
    section: page.section ?? 'added',
    parent: page.parent ?? null,
    position: page.position ?? Number.POSITIVE_INFINITY,
    group: null,
    objects: [page.object],
    definition: null,
  }
}

type Sort = (pages: readonly Page[]) => Page[]

/** A page, its tabs, and the tabs of each of them. */
function withTabs(page: Page, pages: readonly Page[], sort: Sort): Page[] {
  const tabsOf = ({ name }: Page) => sort(pages.filter(({ parent }) => parent === name))
  return [page, ...tabsOf(page).flatMap((tab) => [tab, ...tabsOf(tab)])]
}

/** In the order of the menu: each entry is followed by its tabs. */
function inMenuOrder(pages: readonly Page[]): Page[] {
  const names = new Set(pages.map(({ name }) => name))
  const byPosition = (some: readonly Page[]) => some.toSorted((a, b) => a.position - b.position || 0)
  // A tab of a page that does not exist is an entry, or nobody would find it.
  const entries = pages.filter(({ parent }) => parent === null || !names.has(parent))
  return SECTIONS.flatMap((sections) =>
    byPosition(entries.filter(({ section }) => sections.includes(section))),
  ).flatMap((entry) => withTabs(entry, pages, byPosition))
}

/**
 * All pages, of definitions and hand-written ones. A definition at the path of a planned page replaces it; at that of
 * another page, it has no page there.
 */
export function pagesFrom(
  entries: readonly ResourceEntry[],
  handWritten: readonly HandWrittenPage[],
): Page[] {
  const newNames = new Map<string, string>()
  const kept = handWritten
    .filter(({ isPlanned }) => !isPlanned)
    .flatMap(({ path, alias }) => (alias === undefined ? [path] : [path, alias]))
  const defined = entries.map((entry) => {
    const routes = routesOf(entry).filter(({ path }) => !kept.includes(path))
    const paths = routes.map(({ path }) => path)
    const replaced = handWritten.find(({ path }) => paths.includes(path))
    if (replaced) newNames.set(replaced.name, entry.name)
    return fromDefinition(entry, replaced, routes)
  })
  const own = handWritten.filter(({ name }) => !newNames.has(name)).map(fromHandWritten)
  const named = [...own, ...defined].map((page) => ({
    ...page,
    parent: page.parent === null ? null : (newNames.get(page.parent) ?? page.parent),
  }))
  return inMenuOrder(named)
}

let all: { entries: readonly ResourceEntry[]; pages: readonly Page[] } | null = null

/** The console's one list of pages, in the order of the menu. */
export function consolePages(): readonly Page[] {
  const entries = resourceEntries()
  if (all?.entries !== entries) all = { entries, pages: pagesFrom(entries, PAGES) }
  return all.pages
}

/** The same, for a component that follows definitions as they change. */
export function useConsolePages(): readonly Page[] {
  useDefinitionsVersion()
  return consolePages()
}

/** Addresses of definitions that were removed while this page was open, by name. */
export function removedPaths(): { name: string; path: string }[] {
  const taken = new Set(consolePages().flatMap(({ routes }) => routes.map(({ path }) => path)))
  return removedEntries().flatMap((entry) =>
    routesOf(entry).flatMap(({ path }) => (taken.has(path) ? [] : [{ name: entry.name, path }])),
  )
}

export interface FoundPage {
  page: Page
  screen: Screen
  id: string | null
  /** Reached by the page's second address. */
  isAlias: boolean
}

let last: { pathname: string; pages: readonly Page[]; found: FoundPage | null } | null = null

/** The page at an address. The shell's parts all ask for the same one: it is matched once. */
export function findPage(pathname: string, pages: readonly Page[] = consolePages()): FoundPage | null {
  if (last?.pathname !== pathname || last.pages !== pages)
    last = { pathname, pages, found: matchPage(pathname, pages) }
  return last.found
}

/** A list below another one, as `/tickets/articles`, is no record of that one: the more exact address comes first. */
function isBelow({ path }: Page): boolean {
  return path !== null && path.lastIndexOf('/') > 0
}

function matchPage(pathname: string, pages: readonly Page[]): FoundPage | null {
  for (const page of [...pages.filter(isBelow), ...pages.filter((page) => !isBelow(page))]) {
    for (const { path, screen } of page.routes) {
      const match = matchPath(path, pathname)
      if (match) return { page, screen, id: match.params.id ?? null, isAlias: false }
    }
    if (page.alias !== null && matchPath(page.alias, pathname))
      return { page, screen: 'list', id: null, isAlias: true }
  }
  return null
}
