import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Alert, Button, Input, Modal, Table } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import css from '@/pages/jobs/jobs.module.css'
import { useErrorText } from '@/resource/use-error-text'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { StatusTag } from '@/ui/status-tag'
import { useDebounced } from '@/ui/use-debounced'
import { addMatching, addMembers, type Candidate, type GroupRef, readCandidates } from './member-data'

const PAGE_SIZE = 10
const PAUSE_MS = 250

interface AddDevicesDialogProps {
  group: GroupRef
  onClose: () => void
  onAdded: () => void
}

/** Adds devices that the group does not have yet. Stays open with its search, for the next ones. */
export function AddDevicesDialog({ group, onClose, onAdded }: AddDevicesDialogProps) {
  // All words before the dialog opens: waiting for those of the rows would hide it, and its search lose the focus.
  const { t } = useTranslation(['groups', 'devices'])
  const errorText = useErrorText()
  const [typed, setTyped] = useState('')
  const text = useDebounced(typed.trim(), PAUSE_MS)
  const [page, setPage] = useState(1)
  const [chosen, setChosen] = useState<string[]>([])
  const [added, setAdded] = useState<number | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null)
  const isStopped = useRef(false)
  const query = useQuery({
    queryKey: [group.companyId, 'group_devices', group.groupId, 'candidates', text, page],
    queryFn: () => readCandidates(group, text, page, PAGE_SIZE),
    placeholderData: keepPreviousData,
  })
  const total = query.data?.total ?? 0
  // A page that holds all of them is chosen by its own checkbox.
  const hasMorePages = total > PAGE_SIZE
  // What "all that match" means has to be what the reader sees.
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
  const addChosen = () => run(chosen.length, () => addMembers(group, chosen))
  const addAll = () => run(total, (report) => addMatching(group, text, report, () => isStopped.current))

  const isBusy = progress !== null
  return (
    <Modal
      open
      width={640}
      title={t('members.addTitle')}
      onCancel={onClose}
      closable={!isBusy}
      keyboard={!isBusy}
      mask={{ closable: false }}
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
      <div role="status" className={css.secondary} style={{ marginBlock: 8 }}>
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
          style={{ marginBlockEnd: 8 }}
        />
      )}
      {query.isPending ? (
        <LoadingState rows={5} />
      ) : query.data === undefined ? (
        <ErrorState text={errorText(query.error)} onRetry={() => query.refetch()} />
      ) : total === 0 ? (
        <EmptyState title={text ? t('members.noMatch') : t('members.noCandidates')} />
      ) : (
        <Candidates
          rows={query.data.rows}
          total={total}
          page={page}
          chosen={chosen}
          isBusy={isBusy}
          onPage={setPage}
          onChoose={setChosen}
        />
      )}
    </Modal>
  )
}

interface CandidatesProps {
  rows: Candidate[]
  total: number
  page: number
  chosen: string[]
  isBusy: boolean
  onPage: (page: number) => void
  onChoose: (ids: string[]) => void
}

function Candidates({ rows, total, page, chosen, isBusy, onPage, onChoose }: CandidatesProps) {
  const { t } = useTranslation('groups')
  const { t: devices } = useTranslation('devices')
  return (
    <Table<Candidate>
      size="small"
      rowKey="id"
      dataSource={rows}
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
      pagination={{
        current: page,
        pageSize: PAGE_SIZE,
        total,
        onChange: onPage,
        showSizeChanger: false,
        hideOnSinglePage: true,
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
