import DislikeOutlined from '@ant-design/icons/es/icons/DislikeOutlined'
import LikeOutlined from '@ant-design/icons/es/icons/LikeOutlined'
import { type BaseRecord, type HttpError, useList, useNotification } from '@refinedev/core'
import { Alert, Button } from 'antd'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import type { TabProps } from '@/resource/engine-context'
import { MarkdownText } from '@/resource/fields/markdown/view'
import { useErrorText } from '@/resource/use-error-text'
import { useSession } from '@/session/use-session'
import { PartLoading } from '@/ui/loading-state'
import { RelativeTime } from '@/ui/relative-time'
import { useSingleCall } from '@/ui/use-single-call'
import css from './portal.module.css'

/** An article as a page to read, with the question whether it helped. */
export function ArticleTab({ record }: TabProps) {
  const { t } = useTranslation('tickets')
  const warning = record.status === 'draft' ? 'draft' : record.audience === 'desk' ? 'desk' : null
  return (
    <article className={css.article} lang={typeof record.language === 'string' ? record.language : undefined}>
      {warning ? <Alert type="info" showIcon title={t(`article.${warning}`)} /> : null}
      <Suspense fallback={<PartLoading rows={8} />}>
        <MarkdownText text={String(record.body ?? '')} />
      </Suspense>
      <p className={css.soft}>
        {t('article.updated')} <RelativeTime value={String(record.updated_at)} />
      </p>
      <Helpful record={record} />
    </article>
  )
}

function Helpful({ record }: Pick<TabProps, 'record'>) {
  const { t } = useTranslation('tickets')
  const language = useLanguage()
  const can = useCan()
  const { user } = useSession()
  const { open } = useNotification()
  const errorText = useErrorText()
  const call = useRpcCall()
  const cache = useCache()
  const id = String(record.id)
  const { query } = useList<BaseRecord, HttpError>({
    resource: 'article_votes',
    filters: [
      { field: 'article_id', operator: 'eq', value: id },
      { field: 'user_id', operator: 'eq', value: user?.id },
    ],
    sorters: [{ field: 'article_id', order: 'asc' }],
    pagination: { currentPage: 1, pageSize: 1, mode: 'server' },
    meta: { select: 'article_id,is_helpful', count: 'none' },
  })
  const mine: unknown = query.data?.data[0]?.is_helpful
  const vote = useSingleCall(async (helpful: boolean) => {
    try {
      // Another press on the same answer takes it back.
      await call('vote_articles', { ids: [id], helpful: mine === helpful ? null : helpful })
    } catch (error) {
      open?.({ type: 'error', message: t('article.failed'), description: errorText(error) })
    }
    await Promise.all(['article_votes', 'articles'].map((name) => cache.invalidate(name)))
  })
  const mayVote = can('articles', 'vote_helpful').allowed
  const count = (value: unknown) => formatNumber(Number(value ?? 0), language)
  return (
    <section className={css.helpful} aria-label={t('article.ask')}>
      {mayVote ? (
        <div className={css.votes}>
          <strong>{t('article.ask')}</strong>
          {([true, false] as const).map((helpful) => (
            <Button
              key={String(helpful)}
              icon={helpful ? <LikeOutlined aria-hidden="true" /> : <DislikeOutlined aria-hidden="true" />}
              type={mine === helpful ? 'primary' : 'default'}
              aria-pressed={mine === helpful}
              onClick={() => void vote(helpful)}
            >
              {t(helpful ? 'article.yes' : 'article.no')}
            </Button>
          ))}
        </div>
      ) : null}
      <p className={css.soft} role="status">
        {typeof mine === 'boolean' ? `${t('article.thanks')} ` : ''}
        {t('article.votes', { helpful: count(record.helpful), unhelpful: count(record.unhelpful) })}
      </p>
    </section>
  )
}
