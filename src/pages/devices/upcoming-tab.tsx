import { CanAccess } from '@refinedev/core'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCan } from '@/access/use-can'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useRpc } from '@/refine/use-rpc'
import type { TabProps } from '@/resource/engine-context'
import type { Filter } from '@/resource/language/definition.generated'
import { createPath, showPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { QueryState } from '@/resource/query-state'
import { type ListColumns, PartList } from '@/resource/screens/part-list'
import { DataTable } from '@/ui/data-table'
import { EmptyState } from '@/ui/empty-state'
import { Panel } from '@/ui/panel'

const OPEN: Filter = { status: { _in: ['queued', 'claimed', 'running'] } }
const COLUMNS: ListColumns = [
  { field: 'job_id', width: 240, with: ['job_id.script_type'] },
  'status',
  'queued_at',
  'start_after',
]

interface Scheduled {
  kind: 'scheduled_tasks' | 'automations'
  id: string
  name: string
  /** When this device starts. */
  next_run_at: string
  target: 'device' | 'group' | 'filter' | 'all'
}

/** A row of `device_windows()`. */
interface PolicyWindow {
  kind: 'install' | 'restart'
  policy_id: string
  name: string
  starts_at: string
  /** Approved updates that the window would install now. */
  updates: number | null
}

/** Lists the device's pending work: runs that wait or run, scheduled tasks, and the windows of its patch policy. */
export function UpcomingTab({ record }: TabProps) {
  const { t } = useTranslation('devices')
  const can = useCan()
  const showsScheduled = can('scheduled_tasks', 'list').allowed || can('automations', 'list').allowed
  return (
    <div className="l-stack-16">
      <Panel title={t('upcoming.runs')}>
        <PartList
          resource="job_runs"
          under={{ field: 'device_id', id: String(record.id) }}
          filter={OPEN}
          columns={COLUMNS}
          sort="queued_at"
          empty={<EmptyState title={t('upcoming.noRuns')} text={t('upcoming.noRunsText')} />}
        />
      </Panel>
      {showsScheduled ? <ScheduledPanel record={record} /> : null}
      <CanAccess resource="policies" action="list">
        <WindowsPanel record={record} />
      </CanAccess>
    </div>
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
        // Rows of two resources in one order, at most 50.
        <DataTable<Scheduled>
          rowKey="id"
          dataSource={query.data}
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
