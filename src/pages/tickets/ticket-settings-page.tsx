import { useList } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { useCan } from '@/access/use-can'
import type { TableRow } from '@/data/database'
import { DeniedError } from '@/data/errors'
import { useLanguage } from '@/i18n/use-language'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { listPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { useResourceLabels, useValueWord } from '@/resource/language/words'
import { QueryState } from '@/resource/query-state'
import { useCompanyScope } from '@/session/use-company-scope'
import { StatusTag, type Tone } from '@/ui/status-tag'
import { MailPanel } from './mail-panel'
import css from './ticket-settings.module.css'

/** More categories than a form needs; the list of categories has the rest. */
const MAX_CATEGORIES = 100

const CATEGORY =
  'id,name,description,color,company:companies!ticket_categories_company_id_fkey(name),' +
  'issues:ticket_issues(id,name,priority)'

/** The settings of the service desk: categories with their issue types, and what leads to the other lists. */
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
      <MailPanel />
      <ul className={css.cards} aria-label={t('overview.title')}>
        {SECTIONS.map((resource) => (
          <SettingsCard key={resource} resource={resource} />
        ))}
      </ul>
    </div>
  )
}

/** The other settings: each is a list of its own, which this page leads to. */
const SECTIONS = [
  'ticket_statuses',
  'sla_policies',
  'business_calendars',
  'assignment_rules',
  'canned_replies',
  'desk_settings',
  'mail_addresses',
  'inbound_mails',
] as const

/** Lists whose rows are not named by a column of that name. */
const NAMES: Readonly<Record<string, string>> = {
  desk_settings: 'id',
  mail_addresses: 'id,name:address',
  inbound_mails: 'id',
}
const WITHOUT_NAMES = { desk_settings: true, inbound_mails: true }

function SettingsCard({ resource }: { resource: (typeof SECTIONS)[number] }) {
  const { t } = useTranslation('tickets')
  const can = useCan()
  const labels = useResourceLabels()
  const { companyId } = useCompanyScope()
  const definition = findDefinition(resource)
  const isOpen = definition !== null && can(resource, 'list').allowed
  const { query } = useList<{ id: string; name: string | null }>({
    resource,
    pagination: { currentPage: 1, pageSize: MAX_NAMES, mode: 'server' },
    meta: { companyId, select: NAMES[resource] ?? 'id,name', count: 'exact' },
    queryOptions: { enabled: isOpen },
  })
  if (!isOpen) return null
  const rows = query.data?.data ?? []
  const total = query.data?.total ?? 0
  return (
    <li className={css.panel}>
      <h2 className={css.heading}>
        <Link to={listPath(definition)}>{labels(resource).page}</Link>
      </h2>
      <p className={css.text}>{t(`overview.${resource}`)}</p>
      {query.error ? <QueryState query={query} rows={1} /> : null}
      {resource in WITHOUT_NAMES || !query.data ? null : (
        <p className={css.names}>
          {total === 0 ? t('overview.none') : rows.map(({ name }) => name).join(' · ')}
          {total > rows.length ? ` · ${t('overview.count', { count: total })}` : ''}
        </p>
      )}
    </li>
  )
}

/** Enough to recognize a list by. */
const MAX_NAMES = 5

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

const TONES: Readonly<Record<string, Tone>> = {
  low: 'neutral',
  normal: 'info',
  high: 'warning',
  urgent: 'error',
}

type CategoryRow = Pick<TableRow<'ticket_categories'>, 'id' | 'name' | 'description' | 'color'> & {
  company: Pick<TableRow<'companies'>, 'name'> | null
  issues: Pick<TableRow<'ticket_issues'>, 'id' | 'name' | 'priority'>[]
}

interface CategoryItemProps {
  category: CategoryRow
  /** With all companies in scope, a name alone does not identify the company. */
  showsCompany: boolean
}

function CategoryItem({ category, showsCompany }: CategoryItemProps) {
  const { t } = useTranslation('tickets')
  const language = useLanguage()
  const priority = useValueWord('ticket_issues', 'priority')
  const issues = [...category.issues].sort((a, b) => a.name.localeCompare(b.name, language))
  return (
    <li className={css.category}>
      <div className={css.title}>
        <span className={css.swatch} style={{ background: category.color }} aria-hidden="true" />
        <Link to={`/categories/${category.id}`}>{category.name}</Link>
        {showsCompany && category.company ? <span className={css.aside}>{category.company.name}</span> : null}
        <span className={css.aside}>{t('categories.issues', { count: issues.length })}</span>
      </div>
      {category.description ? <p className={css.text}>{category.description}</p> : null}
      {issues.length === 0 ? (
        <p className={css.text}>{t('categories.noIssues')}</p>
      ) : (
        <ul className={css.issues}>
          {issues.map((issue) => (
            <li key={issue.id}>
              <Link to={`/issues/${issue.id}`}>{issue.name}</Link>
              <StatusTag tone={TONES[issue.priority]}>{priority(issue.priority)}</StatusTag>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
