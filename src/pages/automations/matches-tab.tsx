import { Segmented, Table } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { QueryState } from '@/resource/query-state'
import { EmptyState } from '@/ui/empty-state'
import { StatusTag } from '@/ui/status-tag'
import { useTabParams } from '@/ui/use-tab-params'
import { type MatchedDevice, PAGE_SIZE, useMatches } from './match-data'

type Props = { record: { id?: unknown; company_id?: unknown; trigger?: unknown }; resource: string }

/** Which devices an automation would run on now, and which it would leave out and why. */
export function MatchesTab({ record }: Props) {
  const { t } = useTranslation('automations')
  const { params, setParams } = useTabParams(['show', 'matches_page'])
  const isLeftOut = params.show === 'left-out'
  const page = Math.max(1, Number(params.matches_page) || 1)
  const query = useMatches({
    automationId: String(record.id),
    companyId: String(record.company_id),
    isLeftOut,
    page,
  })
  if (query.data === undefined) return <QueryState query={query} rows={6} />
  const { matches, left_out, rows } = query.data
  if (matches + left_out === 0) return <EmptyState title={t('matches.empty')} text={t('matches.emptyText')} />
  return (
    <div>
      <div className="l-toolbar">
        <Segmented
          aria-label={t('matches.show')}
          value={isLeftOut ? 'left-out' : 'matching'}
          onChange={(value) =>
            setParams({ show: value === 'matching' ? '' : String(value), matches_page: '' })
          }
          options={[
            { value: 'matching', label: t('matches.matching', { count: matches }) },
            { value: 'left-out', label: t('matches.leftOut', { count: left_out }) },
          ]}
        />
        <span className="l-secondary" aria-live="polite">
          {t(isEvent(record.trigger) ? 'matches.onEvent' : 'matches.now', { count: matches })}
        </span>
      </div>
      {rows.length === 0 ? (
        <EmptyState title={t(isLeftOut ? 'matches.noneLeftOut' : 'matches.none')} />
      ) : (
        <DeviceTable
          rows={rows}
          isLeftOut={isLeftOut}
          page={page}
          total={isLeftOut ? left_out : matches}
          onPage={(next) => setParams({ matches_page: next === 1 ? '' : String(next) })}
        />
      )}
    </div>
  )
}

const isEvent = (trigger: unknown) =>
  trigger === 'new_device' || trigger === 'alert' || trigger === 'enters_group'

interface DeviceTableProps {
  rows: MatchedDevice[]
  isLeftOut: boolean
  page: number
  total: number
  onPage: (page: number) => void
}

function DeviceTable({ rows, isLeftOut, page, total, onPage }: DeviceTableProps) {
  const { t } = useTranslation('automations')
  const { t: devices } = useTranslation('devices')
  return (
    <Table<MatchedDevice>
      size="middle"
      rowKey="id"
      dataSource={rows}
      pagination={{
        current: page,
        pageSize: PAGE_SIZE,
        total,
        showSizeChanger: false,
        hideOnSinglePage: true,
        onChange: onPage,
      }}
      columns={[
        {
          title: t('matches.device'),
          key: 'name',
          render: (_value, { id, name }) => <Link to={`/devices/${id}`}>{name}</Link>,
        },
        ...(isLeftOut
          ? [
              {
                title: t('matches.reason'),
                key: 'reason',
                render: (_value: unknown, { reason }: MatchedDevice) =>
                  reason ? t(`matches.reasons.${reason}`) : '–',
              },
            ]
          : []),
        {
          title: t('matches.status'),
          key: 'status',
          render: (_value, { status }) => (
            <StatusTag tone={status === 'online' ? 'success' : 'neutral'} dot>
              {status === 'online' ? devices('status.online') : devices('status.offline')}
            </StatusTag>
          ),
        },
        {
          title: t('matches.os'),
          key: 'os',
          responsive: ['md'],
          render: (_value, { os }) => os ?? '–',
        },
      ]}
    />
  )
}
