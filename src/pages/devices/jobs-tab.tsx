import { useQuery } from '@tanstack/react-query'
import { Alert, Button, Select, Table } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { useLanguage } from '@/i18n/use-language'
import { formatDuration } from '@/pages/jobs/duration'
import { type RunWithJob, readDeviceRuns } from '@/pages/jobs/job-data'
import css from '@/pages/jobs/jobs.module.css'
import { RunDrawer } from '@/pages/jobs/run-drawer'
import { durationMs, isRunStatus, RUN_STATUSES } from '@/pages/jobs/run-status'
import { RunStatusTag } from '@/pages/jobs/run-status-tag'
import { StopRunButton } from '@/pages/jobs/stop-run-button'
import { useLiveRefresh } from '@/pages/jobs/use-live-refresh'
import { useTabParams } from '@/pages/jobs/use-tab-params'
import { useErrorText } from '@/resource/use-error-text'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { lazyPart } from '@/ui/load-chunk'
import { LoadingState } from '@/ui/loading-state'
import { RelativeTime } from '@/ui/relative-time'

const RunProcedureDialog = lazyPart(() =>
  import('@/pages/procedures/run-procedure-dialog').then((module) => ({
    default: module.RunProcedureDialog,
  })),
)

const PAGE_SIZE = 20

type Props = { record: { id?: unknown; company_id?: unknown }; resource: string }

/** What ran on this device and what is about to, newest first. `?run=` opens one run's output. */
export function JobsTab({ record }: Props) {
  const { t } = useTranslation('jobs')
  const errorText = useErrorText()
  const deviceId = String(record.id)
  const companyId = String(record.company_id)
  const { params, setParams } = useTabParams(['run', 'run_status', 'run_page'])
  const [failure, setFailure] = useState<unknown>(null)
  const [isRunning, setIsRunning] = useState(false)
  const statuses = (params.run_status ?? '').split(',').filter(isRunStatus)
  const page = Math.max(1, Number(params.run_page) || 1)
  const queryKey = [companyId, 'job_runs', 'device', deviceId]
  const query = useQuery({
    queryKey: [...queryKey, statuses, page],
    queryFn: () => readDeviceRuns({ companyId, deviceId, statuses, page, pageSize: PAGE_SIZE }),
    placeholderData: (before) => before,
  })
  useLiveRefresh(companyId, ['job_runs', 'jobs'], queryKey)

  const isFiltered = statuses.length > 0

  return (
    <div>
      <div className={css.toolbar}>
        <Select
          mode="multiple"
          allowClear
          maxTagCount={2}
          style={{ minWidth: 200, flex: '0 1 320px' }}
          aria-label={t('list.filter')}
          placeholder={t('list.filterAll')}
          value={statuses}
          onChange={(next) => setParams({ run_status: next.join(','), run_page: '' })}
          options={RUN_STATUSES.map((status) => ({ value: status, label: t(`status.${status}`) }))}
        />
      </div>
      {failure === null ? null : (
        <Alert
          type="error"
          showIcon
          closable
          onClose={() => setFailure(null)}
          title={errorText(failure)}
          style={{ marginBlockEnd: 12 }}
        />
      )}
      {query.isPending ? (
        <LoadingState rows={6} />
      ) : query.data === undefined ? (
        <ErrorState text={errorText(query.error)} onRetry={() => query.refetch()} />
      ) : query.data.total === 0 ? (
        isFiltered ? (
          <EmptyState
            title={t('list.emptyFiltered')}
            action={<Button onClick={() => setParams({ run_status: '' })}>{t('list.showAll')}</Button>}
          />
        ) : (
          <EmptyState
            title={t('list.empty')}
            text={t('list.emptyText')}
            action={
              <GuardedButton
                resource="procedures"
                action="run"
                type="primary"
                onClick={() => setIsRunning(true)}
              >
                {t('list.runScript')}
              </GuardedButton>
            }
          />
        )
      ) : (
        <RunTable
          rows={query.data.rows}
          total={query.data.total}
          page={page}
          onPage={(next) => setParams({ run_page: next === 1 ? '' : String(next) })}
          onOpen={(run) => setParams({ run: run.id })}
          onStopped={() => query.refetch()}
          onFailure={setFailure}
        />
      )}
      <RunDrawer runId={params.run ?? null} companyId={companyId} onClose={() => setParams({ run: '' })} />
      {isRunning ? (
        <Suspense fallback={null}>
          <RunProcedureDialog records={[record]} resource="devices" onClose={() => setIsRunning(false)} />
        </Suspense>
      ) : null}
    </div>
  )
}

type TableProps = {
  rows: RunWithJob[]
  total: number
  page: number
  onPage: (page: number) => void
  onOpen: (run: RunWithJob) => void
  onStopped: () => unknown
  onFailure: (error: unknown) => void
}

function RunTable({ rows, total, page, onPage, onOpen, onStopped, onFailure }: TableProps) {
  const { t } = useTranslation('jobs')
  const language = useLanguage()
  return (
    <Table<RunWithJob>
      size="middle"
      rowKey="id"
      dataSource={rows}
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
          title: t('run.script'),
          key: 'script',
          render: (_value, run) => (
            <>
              <button type="button" className={css.rowButton} onClick={() => onOpen(run)}>
                {run.job?.name ?? t('run.noScript')}
              </button>
              <div className={css.secondary}>{run.job?.script_type}</div>
            </>
          ),
        },
        {
          title: t('run.state'),
          key: 'status',
          render: (_value, run) => <RunStatusTag status={run.status} />,
        },
        {
          title: t('run.exitCode'),
          dataIndex: 'exit_code',
          responsive: ['md'],
          render: (code: number | null) => code ?? '–',
        },
        {
          title: t('run.queued'),
          dataIndex: 'queued_at',
          responsive: ['sm'],
          render: (at: string) => <RelativeTime value={at} />,
        },
        {
          title: t('run.duration'),
          key: 'duration',
          responsive: ['lg'],
          render: (_value, run) => {
            const duration = durationMs(run)
            return duration === null ? '–' : formatDuration(duration, language)
          },
        },
        {
          key: 'actions',
          align: 'right',
          width: 1,
          title: <span className="k-visually-hidden">{t('run.actions')}</span>,
          render: (_value, run) => (
            <StopRunButton
              run={run}
              name={run.job?.name ?? t('run.noScript')}
              onStopped={onStopped}
              onFailure={onFailure}
            />
          ),
        },
      ]}
    />
  )
}
