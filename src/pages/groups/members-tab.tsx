import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Table } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { GuardedConfirmButton } from '@/pages/jobs/guarded-confirm-button'
import css from '@/pages/jobs/jobs.module.css'
import { useLiveRefresh } from '@/pages/jobs/use-live-refresh'
import { useTabParams } from '@/pages/jobs/use-tab-params'
import { tableKey } from '@/resource/queries/keys'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { lazyPart } from '@/ui/load-chunk'
import { LoadingState } from '@/ui/loading-state'
import { useNotify } from '@/ui/notify'
import { RelativeTime } from '@/ui/relative-time'
import { StatusTag } from '@/ui/status-tag'
import { type Member, readMemberPage, removeMember } from './member-data'

const AddDevicesDialog = lazyPart(() =>
  import('./add-devices-dialog').then((module) => ({ default: module.AddDevicesDialog })),
)

const PAGE_SIZE = 25

type Props = { record: { id?: unknown; company_id?: unknown }; resource: string }

/** The devices of a group. Adding and removing is an edit of the group. */
export function MembersTab({ record }: Props) {
  const { t } = useTranslation('groups')
  const errorText = useErrorText()
  const notify = useNotify()
  const client = useQueryClient()
  const group = { groupId: String(record.id), companyId: String(record.company_id) }
  const { params, setParams } = useTabParams(['members_page'])
  const page = Math.max(1, Number(params.members_page) || 1)
  const { companyId } = useCompanyScope()
  const [isAdding, setIsAdding] = useState(false)
  const queryKey = [group.companyId, 'group_devices', group.groupId]
  const query = useQuery({
    queryKey: [...queryKey, page],
    queryFn: () => readMemberPage(group, page, PAGE_SIZE),
    placeholderData: (before) => before,
  })
  useLiveRefresh(group.companyId, ['group_devices', 'devices'], queryKey)

  const remove = (member: Member) =>
    removeMember(group, member.device_id).then(
      () => client.invalidateQueries({ queryKey }),
      (error: unknown) => {
        notify({ type: 'error', title: t('members.removeFailed'), description: errorText(error) })
        return client.invalidateQueries({ queryKey })
      },
    )
  const addButton = (
    <GuardedButton resource="groups" action="edit" type="primary" onClick={() => setIsAdding(true)}>
      {t('members.add')}
    </GuardedButton>
  )

  return (
    <div>
      {query.isPending ? (
        <LoadingState rows={6} />
      ) : query.data === undefined ? (
        <ErrorState text={errorText(query.error)} onRetry={() => query.refetch()} />
      ) : query.data.total === 0 ? (
        <EmptyState title={t('members.empty')} text={t('members.emptyText')} action={addButton} />
      ) : (
        <>
          <div className={css.toolbar}>
            <span className={css.secondary}>{t('members.total', { count: query.data.total })}</span>
            {addButton}
          </div>
          <MemberTable
            members={query.data.rows}
            total={query.data.total}
            page={page}
            onPage={(next) => setParams({ members_page: next === 1 ? '' : String(next) })}
            onRemove={remove}
          />
        </>
      )}
      {isAdding ? (
        <Suspense fallback={null}>
          <AddDevicesDialog
            group={group}
            onClose={() => setIsAdding(false)}
            onAdded={() => {
              void client.invalidateQueries({ queryKey })
              // The group's own row counts its devices.
              void client.invalidateQueries({ queryKey: tableKey(companyId, 'groups') })
            }}
          />
        </Suspense>
      ) : null}
    </div>
  )
}

type TableProps = {
  members: Member[]
  total: number
  page: number
  onPage: (page: number) => void
  onRemove: (member: Member) => Promise<unknown>
}

function MemberTable({ members, total, page, onPage, onRemove }: TableProps) {
  const { t } = useTranslation('groups')
  const { t: devices } = useTranslation('devices')
  return (
    <Table<Member>
      size="middle"
      rowKey="device_id"
      dataSource={members}
      pagination={{
        current: page,
        pageSize: PAGE_SIZE,
        total,
        onChange: onPage,
        showSizeChanger: false,
        hideOnSinglePage: true,
      }}
      columns={[
        {
          title: t('members.device'),
          key: 'name',
          render: (_value, { device }) =>
            device ? <Link to={`/devices/${device.id}`}>{device.name}</Link> : '–',
        },
        {
          title: t('members.status'),
          key: 'status',
          render: (_value, { device }) => (
            <StatusTag tone={device?.status === 'online' ? 'success' : 'neutral'} dot>
              {device?.status === 'online' ? devices('status.online') : devices('status.offline')}
            </StatusTag>
          ),
        },
        {
          title: t('members.os'),
          key: 'os',
          responsive: ['md'],
          render: (_value, { device }) => [device?.os, device?.os_version].filter(Boolean).join(' ') || '–',
        },
        {
          title: t('members.added'),
          dataIndex: 'added_at',
          responsive: ['md'],
          render: (at: string) => <RelativeTime value={at} />,
        },
        {
          key: 'actions',
          align: 'right',
          width: 1,
          title: <span className="k-visually-hidden">{t('members.actions')}</span>,
          render: (_value, member) => (
            <GuardedConfirmButton
              resource="groups"
              action="edit"
              size="small"
              danger
              title={t('members.removeTitle', { name: member.device?.name })}
              text={t('members.removeText')}
              okText={t('members.remove')}
              aria-label={t('members.removeOf', { name: member.device?.name })}
              onConfirm={() => onRemove(member)}
            >
              {t('members.remove')}
            </GuardedConfirmButton>
          ),
        },
      ]}
    />
  )
}
