import { useList } from '@refinedev/core'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { showPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import type { MenuSourceProps } from '@/resource/screens/comments/comment-slots'

interface FoundArticle {
  id: string
  title: string
}

const MAX_ARTICLES = 8

/** A title would end its link early with a bracket of its own. */
const linkText = (title: string) => title.replace(/[[\]\\]/g, '\\$&')

/** Published articles as entries of the menu, each a link; a reply offers those that its requester may read. */
export function ArticleSource({ record, kind, words, onItems }: MenuSourceProps) {
  const { t } = useTranslation('tickets')
  const definition = findDefinition('articles')
  const { query } = useList<FoundArticle>({
    resource: 'articles',
    filters: [
      { field: 'status', operator: 'eq', value: 'published' },
      ...(kind === 'reply' ? [{ field: 'audience', operator: 'eq' as const, value: 'everyone' }] : []),
    ],
    sorters: [
      { field: 'helpful', order: 'desc' },
      { field: 'id', order: 'desc' },
    ],
    pagination: { currentPage: 1, pageSize: MAX_ARTICLES, mode: 'server' },
    meta: { companyId: String(record.company_id), select: 'id,title', search: words, count: 'none' },
    errorNotification: false,
  })
  const found = query.data?.data
  useEffect(() => {
    if (!found || !definition) return
    onItems(
      found.map(({ id, title }) => ({
        key: id,
        label: title,
        hint: t('article.hint'),
        insert: `[${linkText(title)}](${window.location.origin}${showPath(definition, id)})`,
      })),
    )
  }, [found, definition, onItems, t])
  return null
}
