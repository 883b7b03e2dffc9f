import { Button, Input, Table } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { formatExitCode } from '@/i18n/format'
import { useDurationText } from '@/resource/fields/number/duration-text'
import { QueryState } from '@/resource/query-state'
import { compareDevices, compareStatuses, findRuns } from '@/runs/progress/arrange-runs'
import { ExitCodes } from '@/runs/progress/exit-code-bars'
import { stillFailedDevices } from '@/runs/progress/exit-codes'
import { HISTORY_RUNS, type RunOfScript, useProcedureRuns } from '@/runs/progress/job-data'
import { RunDrawer } from '@/runs/progress/run-drawer'
import { durationMs, isFailed } from '@/runs/progress/run-status'
import { RunStatusTag } from '@/runs/progress/run-status-tag'
import { EmptyState } from '@/ui/empty-state'
import { lazyPart } from '@/ui/load-chunk'
import { RelativeTime } from '@/ui/relative-time'
import { useTabParams } from '@/ui/use-tab-params'
import css from './runs-tab.module.css'

const RunProcedureDialog = lazyPart(() =>
  import('@/runs/start/run-procedure-dialog').then((module) => ({ default: module.RunProcedureDialog })),
)

type Props = { record: { id?: unknown; company_id?: unknown }; resource: string }

/** The recent runs of a script, and a way to repeat it on failed devices. */
export function RunsTab({ record }: Props) {
  const { t } = useTranslation('jobs')
  const procedureId = String(record.id)
  const companyId = String(record.company_id)
  const { params, setParams } = useTabParams(['run'])
  const [targets, setTargets] = useState<{ id: string }[] | null>(null)
  const query = useProcedureRuns(procedureId, companyId)
  const runs = query.data?.data

  if (runs === undefined) return <QueryState query={query} rows={6} />
  const failed = stillFailedDevices(runs, isFailed)

  return (
    <div className="l-stack-16">
      <div className={`l-toolbar ${css.toolbar}`} hidden={runs.length === 0}>
        <span className="l-secondary">{t('history.latest', { count: runs.length })}</span>
        {failed.length > 0 ? (
          <GuardedButton
            resource="procedures"
            action="run"
            onClick={() => setTargets(failed.map((id) => ({ id })))}
          >
            {t('again.failed', { count: failed.length })}
          </GuardedButton>
        ) : null}
      </div>
      {runs.length === 0 ? (
        <EmptyState
          title={t('history.empty')}
          text={t('history.emptyText')}
          action={
            <GuardedButton resource="procedures" action="run" type="primary" onClick={() => setTargets([])}>
              {t('list.runScript')}
            </GuardedButton>
          }
        />
      ) : (
        <>
          <ExitCodes runs={runs} />
          <RunTable runs={runs} onOpen={(run) => setParams({ run: run.id })} />
        </>
      )}
      <RunDrawer runId={params.run ?? null} companyId={companyId} onClose={() => setParams({ run: '' })} />
      {targets ? (
        <Suspense fallback={null}>
          <RunProcedureDialog
            records={targets}
            resource="devices"
            procedureId={procedureId}
            onClose={() => setTargets(null)}
          />
        </Suspense>
      ) : null}
    </div>
  )
}

/** A run whose version is gone sorts before all others. */
const versionOf = ({ job }: RunOfScript): number => job?.script_version?.number ?? 0

function RunTable({ runs, onOpen }: { runs: RunOfScript[]; onOpen: (run: RunOfScript) => void }) {
  const { t } = useTranslation('jobs')
  const [text, setText] = useState('')
  const durationText = useDurationText()
  const found = findRuns(runs, text)
  return (
    <div>
      <Input
        type="search"
        allowClear
        className={css.search}
        aria-label={t('list.searchRuns')}
        placeholder={t('list.searchRuns')}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Table<RunOfScript>
        size="middle"
        rowKey="id"
        dataSource={found}
        locale={{ emptyText: t('list.noMatch') }}
        pagination={{ pageSize: 20, showSizeChanger: false, hideOnSinglePage: true }}
        footer={runs.length >= HISTORY_RUNS ? () => t('history.cut', { count: HISTORY_RUNS }) : undefined}
        columns={[
          {
            title: t('run.device'),
            key: 'device',
            sorter: compareDevices,
            render: (_value, run) =>
              run.device ? (
                <Link to={`/devices/${run.device.id}`}>{run.device.name}</Link>
              ) : (
                t('run.noDevice')
              ),
          },
          {
            title: t('run.state'),
            key: 'status',
            sorter: compareStatuses,
            render: (_value, run) => <RunStatusTag status={run.status} />,
          },
          {
            title: t('run.exitCode'),
            dataIndex: 'exit_code',
            sorter: (a, b) => (a.exit_code ?? -1) - (b.exit_code ?? -1),
            responsive: ['md'],
            render: (code: number | null) => (code === null ? '–' : formatExitCode(code)),
          },
          {
            title: t('run.version'),
            key: 'version',
            sorter: (a, b) => versionOf(a) - versionOf(b),
            responsive: ['md'],
            render: (_value, run) => run.job?.script_version?.number ?? '–',
          },
          {
            title: t('run.startedBy'),
            key: 'author',
            responsive: ['lg'],
            render: (_value, { job }) =>
              job?.automation ? (
                <Link to={`/automation/${job.automation.id}`}>{job.automation.name}</Link>
              ) : job?.schedule ? (
                <Link to={`/scheduled-tasks/${job.schedule.id}`}>{job.schedule.name}</Link>
              ) : (
                job?.author?.name || job?.author?.email || '–'
              ),
          },
          {
            title: t('run.queued'),
            dataIndex: 'queued_at',
            sorter: (a, b) => Date.parse(a.queued_at) - Date.parse(b.queued_at),
            responsive: ['sm'],
            render: (at: string) => <RelativeTime value={at} />,
          },
          {
            title: t('run.duration'),
            key: 'duration',
            sorter: (a, b) => (durationMs(a) ?? -1) - (durationMs(b) ?? -1),
            responsive: ['lg'],
            render: (_value, run) => {
              const duration = durationMs(run)
              return duration === null ? '–' : durationText(duration / 1000)
            },
          },
          {
            key: 'output',
            align: 'right',
            width: 1,
            title: <span className="k-visually-hidden">{t('output.label')}</span>,
            render: (_value, run) => (
              <Button
                type="link"
                size="small"
                aria-label={t('run.showOutput', { name: run.device?.name ?? t('run.noDevice') })}
                onClick={() => onOpen(run)}
              >
                {t('output.label')}
              </Button>
            ),
          },
        ]}
      />
    </div>
  )
}
