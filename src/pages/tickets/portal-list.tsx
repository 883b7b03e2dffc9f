import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { type HttpError, useList } from '@refinedev/core'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { useCan } from '@/access/use-can'
import { DeniedError } from '@/data/errors'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { createPath, showPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { QueryState } from '@/resource/query-state'
import { useCompanyScope } from '@/session/use-company-scope'
import { useSession } from '@/session/use-session'
import { EmptyState } from '@/ui/empty-state'
import { PageHeader } from '@/ui/page-header'
import { RelativeTime } from '@/ui/relative-time'
import { SearchBox } from '@/ui/search-box'
import css from './portal.module.css'
import { Stars, useRateTicket } from './rating'

interface PortalTicket {
  id: string
  number: number
  subject: string
  status: 'new' | 'open' | 'waiting' | 'resolved' | 'closed'
  requester_id: string | null
  rating: number | null
  merged_into_id: string | null
  created_at: string
  own_status: { name: string; color: string } | null
}

const SELECT =
  'id,number,subject,status,requester_id,rating,merged_into_id,created_at,' +
  'own_status:ticket_statuses(name,color)'
const PAGE = 20
const KINDS = {
  open: ['new', 'open', 'waiting'],
  done: ['resolved', 'closed'],
} as const
type Group = keyof typeof KINDS

/** The tickets of a requester, newest first, and one button for the next. */
export function PortalList() {
  const { t } = useTranslation('tickets')
  const navigate = useNavigate()
  const [params, setParams] = useSearchParams()
  const group: Group = params.get('group') === 'done' ? 'done' : 'open'
  const q = params.get('q') ?? ''
  const definition = findDefinition('tickets')
  const change = (next: { group: Group; q: string }, options?: { replace: boolean }) =>
    setParams(
      { ...(next.group === 'open' ? {} : { group: next.group }), ...(next.q === '' ? {} : { q: next.q }) },
      options,
    )
  return (
    <div className={css.portal}>
      <PageHeader
        title={t('portal.list')}
        extra={
          definition ? (
            <GuardedButton
              resource="tickets"
              action="create"
              type="primary"
              size="large"
              icon={<PlusOutlined aria-hidden="true" />}
              onClick={() => navigate(createPath(definition))}
            >
              {t('portal.new')}
            </GuardedButton>
          ) : null
        }
      />
      <div className={css.tools}>
        <SearchBox
          name={t('portal.list')}
          value={q}
          onSearch={(text) => change({ group, q: text }, { replace: true })}
        />
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would announce a form that is not there */}
        <div className={css.groups} role="group" aria-label={t('portal.filter')}>
          {(['open', 'done'] as const).map((each) => (
            <Button
              key={each}
              type={each === group ? 'primary' : 'default'}
              aria-pressed={each === group}
              onClick={() => change({ group: each, q })}
            >
              {t(`portal.${each}`)}
            </Button>
          ))}
        </div>
      </div>
      <Tickets key={`${group} ${q}`} group={group} q={q.trim()} />
    </div>
  )
}

function Tickets({ group, q }: { group: Group; q: string }) {
  const { t } = useTranslation('tickets')
  const { companyId } = useCompanyScope()
  const [size, setSize] = useState(PAGE)
  const { query } = useList<PortalTicket, HttpError>({
    resource: 'tickets',
    filters: [{ field: 'status', operator: 'in', value: [...KINDS[group]] }],
    sorters: [
      { field: 'created_at', order: 'desc' },
      { field: 'id', order: 'desc' },
    ],
    pagination: { currentPage: 1, pageSize: size, mode: 'server' },
    meta: { companyId, select: SELECT, count: 'none', ...(q === '' ? {} : { search: q }) },
    queryOptions: { placeholderData: (previous) => previous },
  })
  useLiveRefresh(companyId, ['tickets'], [query])
  const rows = query.data?.data
  if (!rows || query.error instanceof DeniedError) return <QueryState query={query} rows={6} />
  if (rows.length === 0 && q !== '') return <EmptyState title={t('portal.noMatch', { q })} />
  if (rows.length === 0)
    return (
      <EmptyState
        title={t(group === 'open' ? 'portal.noneTitle' : 'portal.noneDone')}
        {...(group === 'open' ? { text: t('portal.noneText') } : {})}
      />
    )
  return (
    <>
      {query.error ? <QueryState query={query} rows={1} /> : null}
      <ul className={css.tickets} aria-label={t('portal.list')}>
        {rows.map((ticket) => (
          <TicketCard key={ticket.id} ticket={ticket} />
        ))}
      </ul>
      {rows.length === size ? (
        <Button loading={query.isFetching} onClick={() => setSize(size + PAGE)}>
          {t('portal.more')}
        </Button>
      ) : null}
    </>
  )
}

function TicketCard({ ticket }: { ticket: PortalTicket }) {
  const { t } = useTranslation('tickets')
  const can = useCan()
  const { user } = useSession()
  const rate = useRateTicket()
  const definition = findDefinition('tickets')
  const [isBusy, setBusy] = useState(false)
  const isDone = ticket.status === 'resolved' || ticket.status === 'closed'
  // The answer to a merged ticket is in the other one.
  const mayRate =
    isDone &&
    ticket.merged_into_id === null &&
    ticket.requester_id === user?.id &&
    can('tickets', 'rate').allowed
  return (
    <li className={css.ticket}>
      <Link className={css.subject} to={definition ? showPath(definition, ticket.id) : '/tickets'}>
        {ticket.subject}
      </Link>
      <span className={css.facts}>
        <span>{t('portal.number', { number: ticket.number })}</span>
        {ticket.own_status ? (
          <span className="k-color">
            <span className="k-swatch" aria-hidden="true" style={{ background: ticket.own_status.color }} />
            {ticket.own_status.name}
          </span>
        ) : null}
        <span>
          {t('portal.opened')} <RelativeTime value={ticket.created_at} />
        </span>
      </span>
      {mayRate ? (
        <span className={css.rate}>
          {ticket.rating === null ? <span>{t('rating.ask')}</span> : null}
          <Stars
            label={t('rating.label', { subject: ticket.subject })}
            value={ticket.rating}
            isDisabled={isBusy}
            onRate={(stars) => {
              setBusy(true)
              void rate(ticket.id, stars).finally(() => setBusy(false))
            }}
          />
        </span>
      ) : null}
    </li>
  )
}
