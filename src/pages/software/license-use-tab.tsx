import { Table } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRpc } from '@/refine/use-rpc'
import type { TabProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { EmptyState } from '@/ui/empty-state'
import { Panel } from '@/ui/panel'
import { StatusTag } from '@/ui/status-tag'
import { useTabParams } from '@/ui/use-tab-params'

const PAGE_SIZE = 50

interface Seat {
  seat: string
  user: string | null
  /** No device of this seat was online for 30 days. */
  idle: boolean
  device_count: number
  /** The first five. */
  devices: { id: string; name: string; status: string }[]
}

interface LicenseUse {
  total: number
  idle: number
  rows: Seat[]
}

/** The devices, or signed-in users, that take the seats of a license. */
export function LicenseUseTab({ record }: TabProps) {
  const { t } = useTranslation(['software', 'devices'])
  const { params, setParams } = useTabParams(['use_page'])
  const page = Math.max(1, Number(params.use_page) || 1)
  const use = useRpc<LicenseUse>(
    {
      name: 'license_use',
      args: { license_id: String(record.id), page },
      resource: 'device_software',
      companyId: String(record.company_id),
    },
    { placeholderData: (previous) => previous },
  )
  const { data } = use
  if (!data) return <QueryState query={use} rows={6} />
  if (!record.match_rule) return <EmptyState title={t('use.noRule')} text={t('use.noRuleText')} />
  if (data.total === 0) return <EmptyState title={t('use.empty')} text={t('use.emptyText')} />
  const isByUser = record.type === 'user'
  return (
    <Panel
      title={t(isByUser ? 'use.users' : 'use.devices', { count: data.total })}
      intro={data.idle > 0 ? t('use.idle', { count: data.idle }) : t('use.noneIdle')}
    >
      <Table<Seat>
        size="middle"
        rowKey="seat"
        dataSource={data.rows}
        scroll={{ x: 'max-content' }}
        pagination={{
          current: page,
          pageSize: PAGE_SIZE,
          total: data.total,
          showSizeChanger: false,
          hideOnSinglePage: true,
          onChange: (next) => setParams({ use_page: next === 1 ? '' : String(next) }),
        }}
        columns={[
          {
            title: t(isByUser ? 'use.user' : 'use.device'),
            key: 'seat',
            render: (_value, seat) => (isByUser ? (seat.user ?? t('use.nobody')) : <Devices seat={seat} />),
          },
          isByUser
            ? { title: t('use.on'), key: 'devices', render: (_value, seat) => <Devices seat={seat} /> }
            : { title: t('use.user'), key: 'user', render: (_value, { user }) => user ?? '–' },
          {
            title: t('use.state'),
            key: 'state',
            render: (_value, { idle, devices }) => {
              const isOnline = devices.some(({ status }) => status === 'online')
              return (
                <StatusTag tone={idle ? 'warning' : isOnline ? 'success' : 'neutral'} dot>
                  {idle ? t('use.unseen') : t(isOnline ? 'devices:status.online' : 'devices:status.offline')}
                </StatusTag>
              )
            },
          },
        ]}
      />
    </Panel>
  )
}

function Devices({ seat: { devices, device_count } }: { seat: Seat }) {
  const { t } = useTranslation('software')
  return (
    <>
      {devices.map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 ? ', ' : null}
          <Link to={`/devices/${id}`}>{name}</Link>
        </span>
      ))}
      {device_count > devices.length ? ` ${t('use.more', { count: device_count - devices.length })}` : null}
    </>
  )
}
