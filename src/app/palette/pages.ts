import { type Can, isUsable } from '@/app/navigation'
import { consolePages, type Page } from '@/app/registry'
import type { Definition } from '@/resource/definition/definition.generated'
import { canCreate, createPath, listOf } from '@/resource/definition/naming'

/** The pages that the user may open now, in the menu's order. */
export function usablePages(can: Can, pages: readonly Page[] = consolePages()): Page[] {
  return pages.filter((page) => isUsable(page, can))
}

/** The declared views of every list that the user may open. */
export function usableViews(can: Can): { path: string; definition: Definition; view: string }[] {
  return usablePages(can).flatMap(({ path, definition }) => {
    if (!definition || path === null) return []
    return Object.keys(listOf(definition)?.views ?? {}).map((view) => ({ path, definition, view }))
  })
}

/** What the user may create, and where. */
export function usableForms(can: Can): { path: string; resource: string }[] {
  return consolePages()
    .filter((page) => page.path === null || isUsable(page, can))
    .flatMap(({ name, definition }) =>
      definition && canCreate(definition) && can(name, 'create').allowed
        ? [{ path: createPath(definition), resource: name }]
        : [],
    )
}
