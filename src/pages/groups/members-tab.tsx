import { useTable } from '@refinedev/antd'
import { type HttpError, useDelete, useNotification } from '@refinedev/core'
import { Button, Table, type TableProps } from 'antd'
import type { SortOrder } from 'antd/es/table/interface'
import { Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import type { TableRow } from '@/data/database'
import { useCache } from '@/refine/use-cache'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import type { TabProps } from '@/resource/engine-context'
import { SearchBox } from '@/resource/list/search-box'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { EmptyState } from '@/ui/empty-state'
import { lazyPart } from '@/ui/load-chunk'
import { RelativeTime } from '@/ui/relative-time'
import { StatusTag } from '@/ui/status-tag'
import { useTabParams } from '@/ui/use-tab-params'
import { GroupRule } from './group-rule'
import { tablePagination } from './table-pagination'

const AddDevicesDialog = lazyPart(() =>
  import('./add-devices-dialog').then((module) => ({ default: module.AddDevicesDialog })),
)

const PAGE_SIZE = 25

type Member = Pick<TableRow<'group_devices'>, 'device_id' | 'added_at'> & {
  device: Pick<TableRow<'devices'>, 'id' | 'name' | 'status' | 'os' | 'os_version'> | null
}

const MEMBER = 'device_id,added_at,device:devices(id,name,status,os,os_version)'

const SORTABLE = { name: 'device_key', added: 'added_at' } as const
type SortName = keyof typeof SORTABLE

/** The order in the address: `name` or `added`, descending with a minus. By name, if it says nothing. */
function readSort(value: string | undefined): { field: string; order: 'asc' | 'desc'; name: SortName } {
  const name = value?.replace(/^-/, '') === 'added' ? 'added' : 'name'
  return { name, field: SORTABLE[name], order: value?.startsWith('-') ? 'desc' : 'asc' }
}

/** The devices of a group. Adding and removing is an edit of the group. */
export function MembersTab({ record }: TabProps) {
  const { t } = useTranslation('groups')
  const errorText = useErrorText()
  const { open } = useNotification()
  const groupId = String(record.id)
  const companyId = String(record.company_id)
  const { params, setParams } = useTabParams(['members_page', 'members_q', 'members_sort'])
  const page = Math.max(1, Number(params.members_page) || 1)
  const text = params.members_q ?? ''
  const sort = readSort(params.members_sort)
  const cache = useCache()
  const [isAdding, setIsAdding] = useState(false)
  const inGroup = { field: 'group_id', operator: 'eq', value: groupId } as const
  const { tableProps, tableQuery, setCurrentPage } = useTable<Member, HttpError>({
    resource: 'group_devices',
    filters: { permanent: [inGroup] },
    sorters: {
      permanent: [
        { field: sort.field, order: sort.order },
        { field: 'device_id', order: sort.order },
      ],
    },
    pagination: { currentPage: page, pageSize: PAGE_SIZE },
    meta: { companyId, select: MEMBER, ...(text ? { search: text } : {}) },
    syncWithLocation: false,
    queryOptions: { placeholderData: (before) => before },
  })
  // The page is in the address; `useTable` takes it from there only once.
  useEffect(() => setCurrentPage(page), [page, setCurrentPage])
  useLiveRefresh(companyId, ['group_devices', 'devices'], [tableQuery])

  const { mutateAsync: deleteMember } = useDelete()
  const remove = async ({ device_id }: Member) => {
    try {
      await deleteMember({
        resource: 'group_devices',
        id: device_id,
        meta: { companyId, idColumnName: 'device_id', conditions: [inGroup] },
        invalidates: ['resourceAll'],
        successNotification: false,
        errorNotification: false,
      })
    } catch (error) {
      open?.({ type: 'error', message: t('members.removeFailed'), description: errorText(error) })
      await cache.invalidate('group_devices')
    }
  }
  const isByRule = record.chosen_by === 'rule'
  const addButton = isByRule ? null : (
    <GuardedButton resource="groups" action="edit" type="primary" onClick={() => setIsAdding(true)}>
      {t('members.add')}
    </GuardedButton>
  )

  return (
    <div>
      <GroupRule group={record} />
      {tableQuery.data === undefined ? (
        <QueryState query={tableQuery} rows={6} />
      ) : tableQuery.data.total === 0 && text === '' ? (
        isByRule && !record.rule ? null : isByRule ? (
          <EmptyState title={t('rule.empty')} text={t('rule.emptyText')} />
        ) : (
          <EmptyState title={t('members.empty')} text={t('members.emptyText')} action={addButton} />
        )
      ) : (
        <>
          <div className="l-toolbar">
            <SearchBox
              name={t('members.inGroup')}
              value={text}
              onSearch={(next) => setParams({ members_q: next.trim(), members_page: '' })}
            />
            <span className="l-secondary" aria-live="polite">
              {t('members.total', { count: tableQuery.data.total })}
            </span>
            {addButton}
          </div>
          {tableQuery.data.total === 0 ? (
            <EmptyState
              title={t('members.noneMatch')}
              action={
                <Button onClick={() => setParams({ members_q: '', members_page: '' })}>
                  {t('members.clearSearch')}
                </Button>
              }
            />
          ) : (
            <MemberTable
              tableProps={tableProps}
              sort={sort}
              onChange={(next, by) =>
                setParams({
                  members_page: next === 1 ? '' : String(next),
                  members_sort: by === 'name' ? '' : by,
                })
              }
              onRemove={isByRule ? null : remove}
            />
          )}
        </>
      )}
      {isAdding ? (
        <Suspense fallback={null}>
          <AddDevicesDialog
            group={{ groupId, companyId }}
            onClose={() => setIsAdding(false)}
            onAdded={() => {
              void cache.invalidate('group_devices')
              // The group's own row counts its devices.
              void cache.invalidate('groups')
            }}
          />
        </Suspense>
      ) : null}
    </div>
  )
}

type MemberTableProps = {
  tableProps: TableProps<Member>
  sort: ReturnType<typeof readSort>
  onChange: (page: number, sort: string) => void
  /** Null where the devices follow from a rule. */
  onRemove: ((member: Member) => Promise<unknown>) | null
}

function MemberTable({ tableProps, sort, onChange, onRemove }: MemberTableProps) {
  const { t } = useTranslation('groups')
  const sortable = (name: SortName) => ({
    key: name,
    sorter: true,
    // Pressing again reverses the order; there is always one.
    sortDirections: ['ascend', 'descend', 'ascend'] as SortOrder[],
    sortOrder: (sort.name !== name ? null : sort.order === 'asc' ? 'ascend' : 'descend') as SortOrder,
  })
  const { t: devices } = useTranslation('devices')
  return (
    <Table<Member>
      size="middle"
      rowKey="device_id"
      {...tableProps}
      // The previous page stays until the next one has loaded.
      loading={false}
      pagination={tablePagination(tableProps.pagination)}
      onChange={({ current = 1 }, _filters, by, { action }) => {
        const { columnKey, order } = Array.isArray(by) ? (by[0] ?? {}) : by
        const field = columnKey === 'added' ? 'added' : 'name'
        onChange(action === 'sort' ? 1 : current, order === 'descend' ? `-${field}` : field)
      }}
      columns={[
        {
          title: t('members.device'),
          ...sortable('name'),
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
          ...sortable('added'),
          responsive: ['md'],
          render: (at: string) => <RelativeTime value={at} />,
        },
        {
          key: 'actions',
          align: 'right',
          width: 1,
          title: <span className="k-visually-hidden">{t('members.actions')}</span>,
          render: (_value, member) =>
            onRemove && (
              <GuardedButton
                resource="groups"
                action="edit"
                size="small"
                danger
                confirm={{
                  title: t('members.removeTitle', { name: member.device?.name }),
                  text: t('members.removeText'),
                  okText: t('members.remove'),
                  onConfirm: () => onRemove(member),
                }}
                aria-label={t('members.removeOf', { name: member.device?.name })}
              >
                {t('members.remove')}
              </GuardedButton>
            ),
        },
      ]}
    />
  )
}
