import { type Can, isOutOfRole, type Verdict } from '@/access/policy'
import { consolePages, findPage, type Page } from '@/app/registry'
import type { Definition } from '@/resource/language/definition.generated'
import { canCreate, createPath } from '@/resource/language/naming'
import { openViews } from '@/resource/request/query/saved-views'

/** Why the user may not list a page's rows; null for an open page. */
export function denialOf(
  { objects }: Pick<Page, 'objects'>,
  can: Can,
): Exclude<Verdict, { allowed: true }> | null {
  const refusals = objects.flatMap((object) => {
    const verdict = can(object, 'list')
    return verdict.allowed ? [] : [verdict]
  })
  return refusals.find(isOutOfRole) ?? refusals[0] ?? null
}

/**
 * Whether menus show the page. A page that only the license denies is shown: it says what the license adds.
 */
function isShown(page: Page, can: Can): boolean {
  const denial = denialOf(page, can)
  return page.path !== null && (denial === null || !isOutOfRole(denial))
}

/** Whether the page can be used right now: for commands, which cannot show a reason. */
export function isUsable(page: Page, can: Can): boolean {
  return page.path !== null && denialOf(page, can) === null
}

const parentOf = (page: Page, pages: readonly Page[]): Page | undefined =>
  pages.find(({ name }) => name === page.parent)

/** A tab may have tabs of its own; definitions that name each other as parents lead nowhere. */
const MAX_LEVELS = 3

/** The page with those that it is a tab of, the entry of the menu first. */
function lineOf(page: Page, pages: readonly Page[], levels = MAX_LEVELS): Page[] {
  const parent = levels > 1 ? parentOf(page, pages) : undefined
  return parent ? [...lineOf(parent, pages, levels - 1), page] : [page]
}

function rootOf(page: Page, pages: readonly Page[]): Page {
  return lineOf(page, pages)[0] ?? page
}

/** An entry with its tabs, as far as they are shown. The entry leads to the first of them. */
export interface NavigationGroup {
  root: Page
  tabs: readonly [Page, ...Page[]]
}

/** The menu is a filter over the pages by the user's `list` permissions. */
export function navigationOf(can: Can, pages: readonly Page[] = consolePages()): NavigationGroup[] {
  return pages
    .filter((page) => parentOf(page, pages) === undefined)
    .flatMap((root) => {
      const [first, ...others] = pages.filter(
        (page) => (page === root || page.parent === root.name) && isShown(page, can),
      )
      return first ? [{ root, tabs: [first, ...others] as const }] : []
    })
}

export interface TabRow {
  tabs: readonly Page[]
  /** The tab that the page is, or is below. */
  current: Page
}

/**
 * The rows of tabs above a list: the entry's, and below it those of a tab that has tabs of its own. Records, forms and
 * lists without sibling tabs have none.
 */
export function tabsOver(
  pathname: string,
  can: Can,
  pages: readonly Page[] = consolePages(),
): readonly TabRow[] {
  const page = pages.find(({ path }) => path === pathname)
  if (!page || !isShown(page, can)) return []
  const line = lineOf(page, pages)
  return line.flatMap((root, level): TabRow[] => {
    const tabs = pages.filter((each) => (each === root || each.parent === root.name) && isShown(each, can))
    return tabs.length > 1 ? [{ tabs, current: line[level + 1] ?? root }] : []
  })
}

/** The first page that is open to the user: where they land and where redirects lead. */
export function homePath(can: Can, pages: readonly Page[] = consolePages()): string | null {
  return pages.find((page) => isShown(page, can))?.path ?? null
}

/** Pages for the platform alone: the specification sends everybody else home from them. */
const PLATFORM_OBJECTS: readonly string[] = ['company-management', 'template-manager']

/**
 * Where the user is sent from a page that their role cannot open: from every page without the dashboard's `list` line,
 * otherwise from the platform's pages. Null for all other pages, which show the missing permission.
 */
export function redirectFrom(pathname: string, can: Can, pages?: readonly Page[]): string | null {
  const found = findPage(pathname, pages)
  const denial = found && denialOf(found.page, can)
  if (!denial || !isOutOfRole(denial)) return null
  const isRedirected =
    isOutOfRole(can('dashboard', 'list')) ||
    found.page.objects.some((object) => PLATFORM_OBJECTS.includes(object))
  const home = isRedirected ? homePath(can, pages) : null
  return home === pathname ? null : home
}

/** The name of the entry that an address belongs to: its own page's, or that of the page it is a tab of. */
export function entryOf(pathname: string, pages: readonly Page[] = consolePages()): string | null {
  const found = findPage(pathname, pages)
  return found ? rootOf(found.page, pages).name : null
}

/** `page` on the entry's own page, `true` on one that belongs to it. */
export function ariaCurrent({ root, tabs }: NavigationGroup, pathname: string): 'page' | 'true' | undefined {
  if (tabs[0].path === pathname) return 'page'
  return entryOf(pathname) === root.name ? 'true' : undefined
}

interface Group<Entry> {
  /** Null for entries that name no group. */
  group: string | null
  members: Entry[]
}

/** Entries by group, in the order in which groups first appear; those without a group come first. */
export function groupEntries<Entry>(
  entries: readonly Entry[],
  groupOf: (entry: Entry) => string | null,
): Group<Entry>[] {
  const groups = new Map<string | null, Entry[]>([[null, []]])
  for (const entry of entries) {
    const group = groupOf(entry)
    groups.set(group, [...(groups.get(group) ?? []), entry])
  }
  return [...groups]
    .filter(([, members]) => members.length > 0)
    .map(([group, members]) => ({ group, members }))
}

/** The pages that the user may open now, in the menu's order. */
export function usablePages(can: Can, pages: readonly Page[] = consolePages()): Page[] {
  return pages.filter((page) => isUsable(page, can))
}

/** The declared views of every list that the user may open, as far as they are for this user. */
export function usableViews(can: Can): { path: string; definition: Definition; view: string }[] {
  return usablePages(can).flatMap(({ path, definition }) => {
    if (!definition || path === null) return []
    return openViews(definition, can).map((view) => ({ path, definition, view }))
  })
}

/** The forms that let the user create a record, with their paths. */
export function usableForms(can: Can): { path: string; resource: string }[] {
  return consolePages()
    .filter((page) => page.path === null || isUsable(page, can))
    .flatMap(({ name, definition }) =>
      definition && canCreate(definition) && can(name, 'create').allowed
        ? [{ path: createPath(definition), resource: name }]
        : [],
    )
}
