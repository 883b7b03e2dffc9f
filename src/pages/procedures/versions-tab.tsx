import { useList } from '@refinedev/core'
import { Select, Tag } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { QueryState } from '@/resource/query-state'
import { EmptyState } from '@/ui/empty-state'
import { RelativeTime } from '@/ui/relative-time'
import { useTabParams } from '@/ui/use-tab-params'
import { type ProcedureVersion, VersionDiff } from './version-diff'
import css from './versions.module.css'

const VERSIONS_SHOWN = 200

type Props = { record: { id?: unknown; company_id?: unknown }; resource: string }

/** Every version a script has had, and what changed between any two of them. */
export function VersionsTab({ record }: Props) {
  const { t } = useTranslation('procedures')
  const procedureId = String(record.id)
  const companyId = String(record.company_id)
  const { params, setParams } = useTabParams(['from', 'to'])
  const { query } = useList<ProcedureVersion>({
    resource: 'procedure_versions',
    filters: [{ field: 'procedure_id', operator: 'eq', value: procedureId }],
    sorters: [{ field: 'number', order: 'desc' }],
    pagination: { mode: 'off' },
    // The script is left out, because it may be a quarter of a megabyte.
    meta: {
      companyId,
      select:
        'id,number,created_at,approved_at,approved_name,declined_at,declined_name,decline_reason,author:people!procedure_versions_created_by_fkey(name)',
      limit: VERSIONS_SHOWN,
      count: 'none',
    },
  })
  useLiveRefresh(companyId, ['procedures'], [query])

  if (query.data === undefined) return <QueryState query={query} rows={5} />
  const versions = query.data.data
  if (versions.length === 0) return <EmptyState title={t('versions.empty')} />
  const byNumber = (value: string | undefined) => versions.find((each) => String(each.number) === value)
  const to = byNumber(params.to) ?? versions[0]
  const from = byNumber(params.from) ?? versions.find((each) => to && each.number < to.number)
  const options = versions.map((each) => ({
    value: String(each.number),
    label: t('versions.number', { number: each.number }),
  }))

  return (
    <div className={css.layout}>
      <VersionList
        versions={versions}
        shown={to?.number}
        onShow={(number) => setParams({ to: String(number), from: '' })}
      />
      <div className={css.compared}>
        {versions.length > 1 ? (
          <div className="l-row">
            <span>{t('versions.compare')}</span>
            <Select
              aria-label={t('versions.older')}
              className={css.choice}
              value={from ? String(from.number) : null}
              placeholder={t('versions.older')}
              options={options}
              onChange={(value) => setParams({ from: value, to: to ? String(to.number) : '' })}
            />
            <span aria-hidden>→</span>
            <Select
              aria-label={t('versions.newer')}
              className={css.choice}
              value={to ? String(to.number) : null}
              options={options}
              onChange={(value) => setParams({ to: value, from: from ? String(from.number) : '' })}
            />
          </div>
        ) : null}
        {to ? <VersionDiff companyId={companyId} from={from} to={to} /> : null}
      </div>
    </div>
  )
}

type ListProps = { versions: ProcedureVersion[]; shown: number | undefined; onShow: (number: number) => void }

function VersionList({ versions, shown, onShow }: ListProps) {
  const { t } = useTranslation('procedures')
  const language = useLanguage()
  return (
    <ol className={css.versions} reversed aria-label={t('versions.title')}>
      {versions.map((version, index) => (
        <li key={version.id}>
          <button
            type="button"
            className={css.version}
            aria-current={version.number === shown}
            onClick={() => onShow(version.number)}
          >
            <span className={css.number}>{t('versions.number', { number: version.number })}</span>
            {index === 0 ? <Tag className="l-tag-end">{t('versions.current')}</Tag> : null}
            <DecisionTag version={version} />
            <span className={css.when}>
              <RelativeTime value={version.created_at} />
              {' · '}
              <time dateTime={version.created_at}>{formatDateTime(version.created_at, language)}</time>
            </span>
            {version.author ? <span className={css.when}>{version.author.name}</span> : null}
            <Decision version={version} />
          </button>
        </li>
      ))}
    </ol>
  )
}

function DecisionTag({ version }: { version: ProcedureVersion }) {
  const { t } = useTranslation('procedures')
  if (version.approved_at !== null)
    return (
      <Tag color="green" className="l-tag-end">
        {t('versions.approved')}
      </Tag>
    )
  if (version.declined_at === null) return null
  return (
    <Tag color="red" className="l-tag-end">
      {t('versions.declined')}
    </Tag>
  )
}

/** Names the person who approved or declined a version, and the time. */
function Decision({ version }: { version: ProcedureVersion }) {
  const { t } = useTranslation('procedures')
  const at = version.approved_at ?? version.declined_at
  if (at === null) return null
  return (
    <span className={css.when}>
      {version.approved_at === null
        ? t('versions.declinedBy', { name: version.declined_name, reason: version.decline_reason })
        : t('versions.approvedBy', { name: version.approved_name })}
      {' · '}
      <RelativeTime value={at} />
    </span>
  )
}
