import type { ResourceProps } from '@refinedev/core'
import type { PageWords } from '@/app/page-words'
import { consolePages, type Page } from '@/app/registry'
import { MenuIcon } from '@/app/shell/menu-icon'
import { tableOf } from '@/resource/language/naming'

type RefineMeta = NonNullable<ResourceProps['meta']>

/** The `meta` of a resource, in addition to Refine's own keys. */
interface PageMeta extends RefineMeta {
  section: Page['section']
  position: number
  /** Permission objects; all must allow `list`. */
  objects: readonly string[]
  /** The table or view, where the resource is one. */
  table?: string
}

function pathOf({ routes }: Page, screen: 'create' | 'edit' | 'show'): string | undefined {
  return routes.findLast((route) => route.screen === screen)?.path
}

/** The pages as Refine's `resources`, in the words of one language. */
export function refineResources(words: PageWords, pages: readonly Page[] = consolePages()): ResourceProps[] {
  return pages.map((page) => {
    const { name, path, section, position, objects, parent, icon, definition } = page
    const screens = {
      list: path ?? undefined,
      create: pathOf(page, 'create'),
      edit: pathOf(page, 'edit'),
      show: pathOf(page, 'show'),
    }
    const given = Object.fromEntries(Object.entries(screens).filter(([, value]) => value !== undefined))
    const meta: PageMeta = {
      label: words.label(page),
      icon: <MenuIcon name={icon} />,
      section,
      position,
      objects,
      ...(parent === null ? {} : { parent }),
      ...(path === null || section === 'none' ? { hide: true } : {}),
      ...(definition ? { table: tableOf(definition) } : {}),
    }
    return { name, ...given, meta }
  })
}
