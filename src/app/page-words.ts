import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { FoundPage, Page } from '@/app/registry'
import { useResourceLabels } from '@/resource/definition/words'
import { PRODUCT_NAME } from '@/ui/brand'

type Labels = ReturnType<typeof useResourceLabels>

export interface PageWords {
  /** A page's name in menus, tabs and the palette, which is also its title. */
  label: (page: Page) => string
  /** The top bar's title. */
  title: (found: FoundPage | null) => string
  /** The document's title: the top bar's, except for forms, which the top bar titles alike. */
  documentTitle: (found: FoundPage | null) => string
}

/** Titles of pages from the words of one language. */
export function pageWords(t: TFunction<'shell'>, labels: Labels): PageWords {
  const label = (page: Page) => (page.label ? t(`titles.${page.label}`) : labels(page.name).page)
  const title = (found: FoundPage | null) => {
    // The specification gives a title to a page's first address only.
    if (!found || found.isAlias) return PRODUCT_NAME
    if (found.screen === 'create') return t('titles.create')
    return found.screen === 'list' ? label(found.page) : labels(found.page.name).details
  }
  return {
    label,
    title,
    documentTitle: (found) =>
      found?.screen === 'create' ? t('titles.new', { name: labels(found.page.name).one }) : title(found),
  }
}

export function usePageWords(): PageWords {
  const { t } = useTranslation('shell')
  const labels = useResourceLabels()
  return useMemo(() => pageWords(t, labels), [t, labels])
}
