import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { DeniedError } from '@/data/errors'
import { useLiveRefresh } from '@/pages/jobs/use-live-refresh'
import { MOST_CATEGORIES, readCategories } from '@/pages/tickets/category-data'
import { CategoryItem } from '@/pages/tickets/category-item'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { DeniedState } from '@/ui/denied-state'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import css from './ticket-settings.module.css'

/** What tickets can be about; the records themselves have their own pages. */
export function TicketSettingsPage() {
  const { t } = useTranslation('tickets')
  const navigate = useNavigate()
  return (
    <div className={css.page}>
      <section className={css.panel} aria-labelledby="ticket-categories">
        <div className={css.head}>
          <div>
            <h2 className={css.heading} id="ticket-categories">
              {t('categories.title')}
            </h2>
            <p className={css.text}>{t('categories.text')}</p>
          </div>
          <div className={css.buttons}>
            <GuardedButton resource="ticket_issues" action="create" onClick={() => navigate('/create-issue')}>
              {t('categories.newIssue')}
            </GuardedButton>
            <GuardedButton
              resource="ticket_categories"
              action="create"
              type="primary"
              onClick={() => navigate('/create-category')}
            >
              {t('categories.newCategory')}
            </GuardedButton>
          </div>
        </div>
        <Categories />
      </section>
      <section className={css.panel} aria-labelledby="ticket-settings-later">
        <h2 className={css.heading} id="ticket-settings-later">
          {t('later.title')}
        </h2>
        <p className={css.text}>{t('later.text')}</p>
      </section>
    </div>
  )
}

function Categories() {
  const { t } = useTranslation('tickets')
  const { companyId } = useCompanyScope()
  const errorText = useErrorText()
  const queryKey = [companyId ?? 'all', 'ticket_categories', 'settings']
  const query = useQuery({ queryKey, queryFn: () => readCategories(companyId) })
  useLiveRefresh(companyId, ['ticket_categories', 'ticket_issues'], queryKey)

  if (query.isPending) return <LoadingState rows={4} />
  if (query.error instanceof DeniedError) return <DeniedState />
  if (query.data === undefined)
    return <ErrorState text={errorText(query.error)} onRetry={() => void query.refetch()} />
  if (query.data.length === 0)
    return <EmptyState title={t('categories.none')} text={t('categories.noneText')} />
  return (
    <>
      <ul className={css.categories}>
        {query.data.map((category) => (
          <CategoryItem key={category.id} category={category} showsCompany={companyId === null} />
        ))}
      </ul>
      {query.data.length === MOST_CATEGORIES ? (
        <p className={css.text}>{t('categories.more', { count: MOST_CATEGORIES })}</p>
      ) : null}
    </>
  )
}
