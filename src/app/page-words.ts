import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { consolePages, type FoundPage, type Page } from '@/app/registry'
import { useResourceLabels } from '@/resource/language/words'
import { PRODUCT_NAME } from '@/ui/brand'
import { documentTitle } from '@/ui/document-title'

type Labels = ReturnType<typeof useResourceLabels>

/** Record pages of the specification that its table of titles leaves out: their top bar shows the product's name. */
const UNTITLED_RECORDS: readonly string[] = ['/categories', '/issues']

export interface PageWords {
  /** A page's one name: its title, and what menu, tabs, palette, links and Refine's `resources` call it. */
  label: (page: Page) => string
  /** The name of the page that a link leads to; the product's name where there is no page. */
  labelAt: (path: string) => string
  /** The top bar's title. */
  title: (found: FoundPage | null) => string
  /** The document's title: the top bar's, except where that says too little to tell pages apart. */
  documentTitle: (found: FoundPage | null) => string
}

/** Titles of pages from the words of one language. */
export function pageWords(t: TFunction<['shell', 'common']>, labels: Labels): PageWords {
  const label = (page: Page) => (page.label ? t(`titles.${page.label}`) : labels(page.name).page)
  const labelAt = (path: string) => {
    const page = consolePages().find((each) => each.path === path)
    return page ? label(page) : PRODUCT_NAME
  }
  const nameOf = (found: FoundPage | null) => {
    // The specification gives a title to a page's first address only.
    if (!found || found.isAlias) return PRODUCT_NAME
    if (found.screen === 'create') return t('common:actions.new', { name: labels(found.page.name).one })
    if (found.screen === 'edit') return t('common:actions.edit', { name: labels(found.page.name).one })
    return found.screen === 'list' ? label(found.page) : labels(found.page.name).details
  }
  const title = (found: FoundPage | null): string => {
    if (found?.screen === 'create') return t('titles.create')
    // The specification gives a record's form the title of the record.
    if (found?.screen === 'edit') return title({ ...found, screen: 'show' })
    const isUntitled =
      found !== null && found.screen !== 'list' && UNTITLED_RECORDS.includes(found.page.path ?? '')
    return isUntitled ? PRODUCT_NAME : nameOf(found)
  }
  return { label, labelAt, title, documentTitle: (found) => documentTitle(nameOf(found)) }
}

export function usePageWords(): PageWords {
  const { t } = useTranslation(['shell', 'common'])
  const labels = useResourceLabels()
  return useMemo(() => pageWords(t, labels), [t, labels])
}
