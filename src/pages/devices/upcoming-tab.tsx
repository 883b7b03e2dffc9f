import { type BaseRecord, type HttpError, useList, useNotification } from '@refinedev/core'
import { Button, Table } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCan } from '@/access/use-can'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useRpc } from '@/refine/use-rpc'
import { createPath, showPath } from '@/resource/definition/naming'
import { usePhrase } from '@/resource/definition/phrases'
import { findDefinition } from '@/resource/definition/registry'
import type { TabProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import type { RunRecord } from '@/runs/progress/job-data'
import { RunStatusTag } from '@/runs/progress/run-status-tag'
import { StopRunButton } from '@/runs/progress/stop-run-button'
import { EmptyState } from '@/ui/empty-state'
import { Panel } from '@/ui/panel'
import { RelativeTime } from '@/ui/relative-time'

const MAX_WAITING = 50
const RUN =
  'id,company_id,job_id,device_id,status,attempt,queued_at,start_after,started_at,finished_at,exit_code,error,cancel_requested_at,job:jobs(id,name,script_type)'

interface Scheduled {
  kind: 'scheduled_tasks' | 'automations'
  id: string
  name: string
  /** When this device starts. */
  next_run_at: string
  target: 'device' | 'group' | 'filter' | 'all'
}

/** A run, and when its device starts it where it waits for a time. */
type WaitingRun = RunRecord & { start_after: string | null }

/** A row of `device_windows()`. */
interface PolicyWindow {
  kind: 'install' | 'restart'
  policy_id: string
  name: string
  starts_at: string
  /** Approved updates that the window would install now. */
  updates: number | null
}

/** Lists the device's pending work: runs that wait or run, and scheduled tasks. */
export function UpcomingTab({ record }: TabProps) {
  const can = useCan()
  const showsScheduled = can('scheduled_tasks', 'list').allowed || can('automations', 'list').allowed
  return (
    <div className="l-stack-16">
      <Waiting record={record} />
      {showsScheduled ? <ScheduledPanel record={record} /> : null}
      {can('policies', 'list').allowed ? <WindowsPanel record={record} /> : null}
    </div>
  )
}

function Waiting({ record }: Pick<TabProps, 'record'>) {
  const language = useLanguage()
  const { t } = useTranslation(['devices', 'jobs'])
  const phrase = usePhrase()
  const errorText = useErrorText()
  const { open } = useNotification()
  const companyId = String(record.company_id)
  const { query } = useList<WaitingRun & BaseRecord, HttpError>({
    resource: 'job_runs',
    filters: [
      { field: 'device_id', operator: 'eq', value: String(record.id) },
      { field: 'status', operator: 'in', value: ['queued', 'claimed', 'running'] },
    ],
    sorters: [
      { field: 'queued_at', order: 'asc' },
      { field: 'id', order: 'asc' },
    ],
    pagination: { currentPage: 1, pageSize: MAX_WAITING },
    meta: { companyId, select: RUN },
  })
  useLiveRefresh(companyId, ['job_runs', 'jobs'], [query])
  const total = query.data?.total ?? 0
  return (
    <Panel
      title={t('upcoming.runs')}
      {...(total > MAX_WAITING ? { intro: t('upcoming.first', { count: MAX_WAITING, total }) } : {})}
    >
      {query.data === undefined ? (
        <QueryState query={query} rows={3} />
      ) : query.data.data.length === 0 ? (
        <EmptyState title={t('upcoming.noRuns')} text={t('upcoming.noRunsText')} />
      ) : (
        <Table<WaitingRun>
          size="middle"
          rowKey="id"
          dataSource={query.data.data}
          pagination={false}
          scroll={{ x: 'max-content' }}
          columns={[
            {
              title: t('upcoming.queued'),
              key: 'queued',
              render: (_value, { queued_at, start_after }) =>
                start_after && Date.parse(start_after) > Date.now() ? (
                  <time dateTime={start_after}>
                    {t('upcoming.starts', { time: formatDateTime(start_after, language) })}
                  </time>
                ) : (
                  <RelativeTime value={queued_at} />
                ),
            },
            {
              title: t('upcoming.task'),
              key: 'task',
              render: (_value, { id, job }) => <Link to={`/runs/${id}`}>{job ? phrase(job.name) : '–'}</Link>,
            },
            {
              title: t('upcoming.state'),
              key: 'state',
              render: (_value, { status }) => <RunStatusTag status={status} />,
            },
            {
              key: 'stop',
              render: (_value, run) => (
                <StopRunButton
                  run={run}
                  script={phrase(run.job?.name ?? '')}
                  device={String(record.name)}
                  onStopped={() => query.refetch()}
                  onFailure={(error) => open?.({ type: 'error', message: errorText(error) })}
                />
              ),
            },
          ]}
        />
      )}
    </Panel>
  )
}

function ScheduledPanel({ record }: Pick<TabProps, 'record'>) {
  const { t } = useTranslation('devices')
  const language = useLanguage()
  const can = useCan()
  const companyId = String(record.company_id)
  const query = useRpc<Scheduled[]>({
    name: 'device_upcoming',
    args: { device_id: String(record.id) },
    resource: 'scheduled_tasks',
    companyId,
  })
  useLiveRefresh(companyId, ['scheduled_tasks', 'automations'], [query])
  const tasks = findDefinition('scheduled_tasks')
  return (
    <Panel title={t('upcoming.scheduled')} intro={t('upcoming.scheduledIntro')}>
      {query.data === undefined ? (
        <QueryState query={query} rows={3} />
      ) : query.data.length === 0 ? (
        <EmptyState
          title={t('upcoming.noneScheduled')}
          {...(tasks && can('scheduled_tasks', 'create').allowed
            ? {
                action: (
                  <Link to={createPath(tasks)}>
                    <Button tabIndex={-1}>{t('upcoming.schedule')}</Button>
                  </Link>
                ),
              }
            : {})}
        />
      ) : (
        <Table<Scheduled>
          size="middle"
          rowKey="id"
          dataSource={query.data}
          pagination={false}
          scroll={{ x: 'max-content' }}
          columns={[
            {
              title: t('upcoming.next'),
              key: 'next',
              render: (_value, { next_run_at }) => (
                <time dateTime={next_run_at}>{formatDateTime(next_run_at, language)}</time>
              ),
            },
            {
              title: t('upcoming.name'),
              key: 'name',
              render: (_value, { kind, id, name }) => {
                const definition = findDefinition(kind)
                return definition ? <Link to={showPath(definition, id)}>{name}</Link> : name
              },
            },
            {
              title: t('upcoming.kind'),
              key: 'kind',
              render: (_value, { kind }) => t(`upcoming.kinds.${kind}`),
            },
            {
              title: t('upcoming.target'),
              key: 'target',
              render: (_value, { target }) => t(`upcoming.targets.${target}`),
            },
          ]}
        />
      )}
    </Panel>
  )
}

/** When the patch policy of the device installs and restarts next. */
function WindowsPanel({ record }: Pick<TabProps, 'record'>) {
  const { t } = useTranslation('devices')
  const language = useLanguage()
  const companyId = String(record.company_id)
  const query = useRpc<PolicyWindow[]>({
    name: 'device_windows',
    args: { device_id: String(record.id) },
    resource: 'policies',
    companyId,
  })
  useLiveRefresh(companyId, ['policies', 'device_patches'], [query])
  const policies = findDefinition('policies')
  return (
    <Panel title={t('upcoming.windows')}>
      {query.data === undefined ? (
        <QueryState query={query} rows={2} />
      ) : query.data.length === 0 ? (
        <span className="l-soft">{t('upcoming.noWindows')}</span>
      ) : (
        <ul className="l-stack l-points">
          {query.data.map(({ kind, policy_id, name, starts_at, updates }) => (
            <li key={kind}>
              <strong>
                {Date.parse(starts_at) <= Date.now() ? (
                  t('upcoming.open')
                ) : (
                  <time dateTime={starts_at}>{formatDateTime(starts_at, language)}</time>
                )}
              </strong>{' '}
              {t(`upcoming.windowKinds.${kind}`)}{' '}
              {policies ? <Link to={showPath(policies, policy_id)}>{name}</Link> : name}
              {updates === null ? null : (
                <div className="l-soft">{t('upcoming.due', { count: updates })}</div>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
