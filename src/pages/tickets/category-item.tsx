import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { TableRow } from '@/data/database'
import { useLanguage } from '@/i18n/use-language'
import { useValueWord } from '@/resource/definition/words'
import { StatusTag, type Tone } from '@/ui/status-tag'
import css from './ticket-settings.module.css'

const TONES: Readonly<Record<string, Tone>> = {
  low: 'neutral',
  normal: 'info',
  high: 'warning',
  urgent: 'error',
}

export type CategoryRow = Pick<TableRow<'ticket_categories'>, 'id' | 'name' | 'description' | 'color'> & {
  company: Pick<TableRow<'companies'>, 'name'> | null
  issues: Pick<TableRow<'ticket_issues'>, 'id' | 'name' | 'priority'>[]
}

interface CategoryItemProps {
  category: CategoryRow
  /** With all companies in scope, a name alone does not identify the company. */
  showsCompany: boolean
}

export function CategoryItem({ category, showsCompany }: CategoryItemProps) {
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
