import { type Can, isUsable } from '@/app/navigation'
import { consolePages, type Page } from '@/app/registry'
import type { Definition } from '@/resource/definition/definition.generated'
import { canCreate, createPath } from '@/resource/definition/naming'
import { openViews } from '@/resource/query/saved-views'

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
