import { useList } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { DeniedError } from '@/data/errors'
import { CategoryItem, type CategoryRow } from '@/pages/tickets/category-item'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { QueryState } from '@/resource/query-state'
import { useCompanyScope } from '@/session/use-company-scope'
import css from './ticket-settings.module.css'

/** More categories than a form needs; the list of categories has the rest. */
const MAX_CATEGORIES = 100

const CATEGORY =
  'id,name,description,color,company:companies!ticket_categories_company_id_fkey(name),' +
  'issues:ticket_issues(id,name,priority)'

/** Categories and issue types; the records have their own pages. */
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
  // In the order that forms offer them, each with its issue types: one request.
  const { query } = useList<CategoryRow>({
    resource: 'ticket_categories',
    sorters: [
      { field: 'position', order: 'asc' },
      { field: 'id', order: 'asc' },
    ],
    pagination: { mode: 'off' },
    meta: { companyId, select: CATEGORY, limit: MAX_CATEGORIES, count: 'none' },
  })
  const categories = query.data?.data
  useLiveRefresh(companyId, ['ticket_categories', 'ticket_issues'], [query])

  if (!categories?.length || query.error instanceof DeniedError)
    return (
      <QueryState
        query={query}
        rows={4}
        empty={{ title: t('categories.none'), text: t('categories.noneText') }}
      />
    )
  return (
    <>
      <ul className={css.categories}>
        {categories.map((category) => (
          <CategoryItem key={category.id} category={category} showsCompany={companyId === null} />
        ))}
      </ul>
      {categories.length === MAX_CATEGORIES ? (
        <p className={css.text}>{t('categories.more', { count: MAX_CATEGORIES })}</p>
      ) : null}
    </>
  )
}
