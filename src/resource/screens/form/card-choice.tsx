import ArrowLeftOutlined from '@ant-design/icons/es/icons/ArrowLeftOutlined'
import { type BaseRecord, type HttpError, useList, useOne } from '@refinedev/core'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { targetOf } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import { listOf, tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { type IconName, NamedIcon } from '@/resource/named-icons'
import { QueryState } from '@/resource/query-state'
import { toCrudFilters } from '@/resource/request/filter/crud-filters'
import { orderOf } from '@/resource/request/query/list-request'
import { parseSort } from '@/resource/request/query/list-state'
import { recordTitle, titleFields } from '@/resource/request/query/title'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { PageHeader } from '@/ui/page-header'
import '@/resource/screens/form/cards.css'

/** More than somebody chooses from by eye; a resource with more needs a picker and not cards. */
const MAX_CARDS = 60

/** Fields of the chosen resource that a card shows where they exist, besides its title. */
const SHOWN = ['icon', 'description', 'color'] as const

function useTarget(definition: Definition, field: string) {
  const source = definition.fields[field]
  const target = source ? findDefinition(targetOf(source) ?? '') : null
  const shown = target ? SHOWN.filter((name) => target.fields[name] !== undefined) : []
  const select = target ? ['id', ...titleFields(target), ...shown].join() : 'id'
  return { source, target, select }
}

interface CardChoiceProps {
  definition: Definition
  /** The relation whose choices the cards are. */
  field: string
  /** Null for a record without one. */
  onChoose: (id: string | null) => void
}

/** The choices of a relation as cards with icon and description: the first step of a new record. */
export function CardChoice({ definition, field, onChoose }: CardChoiceProps) {
  const { t } = useTranslation(['engine', 'common'])
  const words = useWords(definition)
  const { companyId, filter } = useResourceScope()
  const { source, target, select } = useTarget(definition, field)
  const where = source?.type === 'relation' ? source.where : undefined
  const order = target ? orderOf(target, parseSort(listOf(target)?.sort)) : []
  const { query } = useList<BaseRecord, HttpError>({
    resource: target?.name ?? '',
    filters: where ? toCrudFilters(where, filter) : [],
    sorters: order.map(({ column, descending }) => ({ field: column, order: descending ? 'desc' : 'asc' })),
    pagination: { currentPage: 1, pageSize: MAX_CARDS, mode: 'server' },
    meta: { table: target ? tableOf(target) : '', companyId, select, count: 'none' },
    queryOptions: { enabled: target !== null },
  })
  const rows = query.data?.data
  return (
    <div className="k-form-page">
      <PageHeader title={t('common:actions.new', { name: words.one })} />
      <h2 className="k-cards-title">{t('form.cards', { field: words.field(field) })}</h2>
      {rows === undefined || target === null ? (
        <QueryState query={query} rows={4} />
      ) : (
        <ul className="k-cards">
          {rows.map((row) => (
            <li key={String(row.id)}>
              <button type="button" className="k-card" onClick={() => onChoose(String(row.id))}>
                <CardIcon row={row} />
                <span className="k-card-about">
                  <span className="k-card-name">{recordTitle(target, row)}</span>
                  {typeof row.description === 'string' ? (
                    <span className="k-card-text">{row.description}</span>
                  ) : null}
                </span>
              </button>
            </li>
          ))}
          {source?.required === true ? null : (
            <li>
              <button type="button" className="k-card" onClick={() => onChoose(null)}>
                <CardIcon row={{}} />
                <span className="k-card-about">
                  <span className="k-card-name">{t('form.otherCard')}</span>
                  <span className="k-card-text">{t('form.otherCardText')}</span>
                </span>
              </button>
            </li>
          )}
        </ul>
      )}
    </div>
  )
}

function CardIcon({ row }: { row: BaseRecord }) {
  const color = typeof row.color === 'string' ? row.color : undefined
  const name = typeof row.icon === 'string' ? (row.icon as IconName) : 'message'
  return (
    <span className="k-card-icon" aria-hidden="true" {...(color ? { style: { borderColor: color } } : {})}>
      <NamedIcon name={name} />
    </span>
  )
}

/** The card that a form began with, and the way back to the others. */
export function ChosenCard({
  definition,
  field,
  id,
  onBack,
}: {
  definition: Definition
  field: string
  id: string
  onBack: () => void
}) {
  const { t } = useTranslation('engine')
  const { target, select } = useTarget(definition, field)
  const { query } = useOne<BaseRecord, HttpError>({
    resource: target?.name ?? '',
    id,
    meta: { table: target ? tableOf(target) : '', select },
    queryOptions: { enabled: id !== '' && target !== null },
  })
  const row = query.data?.data
  return (
    <div className="k-chosen-card">
      {row ? <CardIcon row={row} /> : null}
      <span className="k-card-name">
        {id === '' ? t('form.otherCard') : row && target ? recordTitle(target, row) : ''}
      </span>
      <Button size="small" icon={<ArrowLeftOutlined aria-hidden="true" />} onClick={onBack}>
        {t('form.otherCards')}
      </Button>
    </div>
  )
}
