import { useTable } from '@refinedev/antd'
import { type HttpError, useCreateMany } from '@refinedev/core'
import { Alert, Button, Input, Modal, type TableProps } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TableRow } from '@/data/database'
import { useRpcCall } from '@/refine/use-rpc'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { DataTable } from '@/ui/data-table'
import { EmptyState } from '@/ui/empty-state'
import { StatusTag } from '@/ui/status-tag'
import { useDebounced } from '@/ui/use-debounced'
import css from './groups.module.css'

const PAGE_SIZE = 10
const PAUSE_MS = 250

type Candidate = Pick<TableRow<'devices'>, 'id' | 'name' | 'status' | 'os' | 'os_version'>

interface AddDevicesDialogProps {
  group: { groupId: string; companyId: string }
  onClose: () => void
  onAdded: () => void
}

/** Adds devices that are not in the group yet. Stays open with its search for further ones. */
export function AddDevicesDialog({ group, onClose, onAdded }: AddDevicesDialogProps) {
  // Loads all texts before the dialog opens: loading them for the rows would suspend the dialog, and its
  // search would lose the focus.
  const { t } = useTranslation(['groups', 'devices'])
  const errorText = useErrorText()
  const [typed, setTyped] = useState('')
  const text = useDebounced(typed.trim(), PAUSE_MS)
  const [chosen, setChosen] = useState<string[]>([])
  const [added, setAdded] = useState<number | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null)
  const isStopped = useRef(false)
  const {
    tableProps,
    tableQuery: query,
    setCurrentPage: setPage,
  } = useTable<Candidate, HttpError>({
    resource: 'group_devices',
    sorters: {
      permanent: [
        { field: 'name_key', order: 'asc' },
        { field: 'id', order: 'asc' },
      ],
    },
    pagination: { pageSize: PAGE_SIZE },
    meta: {
      companyId: group.companyId,
      select: 'id,name,status,os,os_version',
      search: text,
      readBy: { name: 'search_group_candidates', args: { group_id: group.groupId } },
    },
    syncWithLocation: false,
    queryOptions: { placeholderData: (before) => before },
  })
  const { mutateAsync: createMembers } = useCreateMany()
  const call = useRpcCall()
  const total = query.data?.total ?? 0
  // A page that holds all of them is chosen by its own checkbox.
  const hasMorePages = total > PAGE_SIZE
  // "All matching" must mean what the user sees.
  const isCurrent = text === typed.trim() && !query.isPlaceholderData && !query.isError

  const run = async (count: number, add: (report: (done: number) => void) => Promise<number>) => {
    isStopped.current = false
    setFailure(null)
    setAdded(null)
    setProgress({ done: 0, total: count })
    let done = 0
    try {
      done = await add((soFar) => {
        done = soFar
        setProgress({ done: soFar, total: count })
      })
      setChosen([])
    } catch (error) {
      setFailure(error)
    }
    setAdded(done)
    setProgress(null)
    setPage(1)
    onAdded()
  }
  const addChosen = () =>
    run(chosen.length, async () => {
      await createMembers({
        resource: 'group_devices',
        values: chosen.map((id) => ({
          company_id: group.companyId,
          group_id: group.groupId,
          device_id: id,
        })),
        // Existing members are not changed.
        meta: { onConflict: 'company_id,group_id,device_id', select: 'device_id' },
        invalidates: [],
        successNotification: false,
        errorNotification: false,
      })
      return chosen.length
    })
  /** In batches of the database's size, until none are left or the user stops it. */
  const addAll = () =>
    run(total, async (report) => {
      let done = 0
      while (!isStopped.current) {
        const batch = await call<number>('add_group_candidates', { group_id: group.groupId, q: text })
        if (batch === 0) break
        done += batch
        report(done)
      }
      return done
    })

  const isBusy = progress !== null
  return (
    <Modal
      open
      width={640}
      title={t('members.addTitle')}
      onCancel={onClose}
      closable={!isBusy}
      keyboard={!isBusy}
      footer={
        isBusy
          ? [
              <Button key="stop" onClick={() => (isStopped.current = true)}>
                {t('members.stop')}
              </Button>,
            ]
          : [
              <Button key="done" onClick={onClose}>
                {t('members.done')}
              </Button>,
              hasMorePages ? (
                <Button key="all" disabled={!isCurrent} onClick={() => void addAll()}>
                  {t('members.addAll', { count: total })}
                </Button>
              ) : null,
              <Button
                key="add"
                type="primary"
                disabled={chosen.length === 0}
                onClick={() => void addChosen()}
              >
                {chosen.length > 0 ? t('members.addCount', { count: chosen.length }) : t('members.add')}
              </Button>,
            ]
      }
    >
      <Input.Search
        allowClear
        autoFocus
        aria-label={t('members.search')}
        placeholder={t('members.search')}
        value={typed}
        disabled={isBusy}
        onChange={(event) => {
          setTyped(event.target.value)
          setPage(1)
        }}
      />
      <div role="status" className={`l-secondary ${css.count}`}>
        {progress
          ? t('members.adding', progress)
          : added !== null && added > 0
            ? t('members.added', { count: added })
            : query.data
              ? t('members.candidates', { count: total })
              : null}
      </div>
      {failure === null ? null : (
        <Alert
          type="error"
          showIcon
          title={t('members.addFailed')}
          description={errorText(failure)}
          className="l-above-8"
        />
      )}
      {query.data === undefined ? (
        <QueryState query={query} rows={5} />
      ) : total === 0 ? (
        <EmptyState title={text ? t('members.noMatch') : t('members.noCandidates')} />
      ) : (
        <Candidates tableProps={tableProps} chosen={chosen} isBusy={isBusy} onChoose={setChosen} />
      )}
    </Modal>
  )
}

interface CandidatesProps {
  tableProps: TableProps<Candidate>
  chosen: string[]
  isBusy: boolean
  onChoose: (ids: string[]) => void
}

function Candidates({ tableProps, chosen, isBusy, onChoose }: CandidatesProps) {
  const { t } = useTranslation('groups')
  const { t: devices } = useTranslation('devices')
  return (
    <DataTable<Candidate>
      {...tableProps}
      size="small"
      rowKey="id"
      rowSelection={{
        selectedRowKeys: chosen,
        // Devices of other pages stay chosen.
        preserveSelectedRowKeys: true,
        onChange: (keys) => onChoose(keys.map(String)),
        getCheckboxProps: ({ name }) => ({
          disabled: isBusy,
          'aria-label': t('members.select', { name }),
        }),
        getTitleCheckboxProps: () => ({ disabled: isBusy, 'aria-label': t('members.selectPage') }),
      }}
      columns={[
        { title: t('members.device'), dataIndex: 'name' },
        {
          title: t('members.status'),
          key: 'status',
          render: (_value, { status }) => (
            <StatusTag tone={status === 'online' ? 'success' : 'neutral'} dot>
              {status === 'online' ? devices('status.online') : devices('status.offline')}
            </StatusTag>
          ),
        },
        {
          title: t('members.os'),
          key: 'os',
          responsive: ['md'],
          render: (_value, { os, os_version }) => [os, os_version].filter(Boolean).join(' ') || '–',
        },
      ]}
    />
  )
}
