import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { useCan } from '@/access/use-can'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useRpcCall } from '@/refine/use-rpc'
import { showPath } from '@/resource/language/naming'
import { usePhrase } from '@/resource/language/phrases'
import { findDefinition } from '@/resource/language/registry'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { namesShown } from '@/runs/targets/targets'
import { EmptyState } from '@/ui/empty-state'
import { ExitCodes } from './exit-code-bars'
import { MAX_RUNS_LISTED, useJob } from './job-data'
import { JobNotes } from './job-notes'
import { JobRunList } from './job-run-list'
import { isFailed, tally, tallyOf } from './run-status'
import css from './runs.module.css'

type Props = {
  jobId: string
  companyId: string
  /** Both are for the dialog that started the task; a page passes neither. */
  onClose?: () => void
  onRunAgain?: (
    failedDeviceIds: string[],
    parameters: Record<string, unknown>,
    devices: { id: string; name: string; status: string }[],
  ) => void
}

/** A task in progress: every device's state, output and exit code. */
export function JobProgress({ jobId, companyId, onClose, onRunAgain }: Props) {
  const { t } = useTranslation('jobs')
  const phrase = usePhrase()
  const errorText = useErrorText()
  const { job, runs, rows } = useJob(jobId, companyId)
  const call = useRpcCall()
  const [failure, setFailure] = useState<unknown>(null)

  if (rows === undefined) return <QueryState query={runs} rows={5} />
  if (rows.length === 0) return <EmptyState title={t('progress.empty')} />

  const counted = job.data?.data
  // A job with more runs than are listed takes its progress from its own counters.
  const isPartial = (counted?.total ?? 0) > MAX_RUNS_LISTED
  const counts = counted && isPartial ? tallyOf(counted, tally(rows)) : tally(rows)
  const open = counts.queued + counts.running
  const done = counts.total - open
  const script = job.data ? phrase(job.data.data.name) : t('run.noScript')
  const failed = rows.filter((run) => isFailed(run.status)).map((run) => run.device_id)
  const waiting = rows.flatMap(({ status, device }) =>
    status === 'queued' && device?.status === 'offline' ? [device] : [],
  )
  const cancelAll = () =>
    call('cancel_job', { job_id: jobId }).then(
      () => Promise.all([job.refetch(), runs.refetch()]),
      (error: unknown) => setFailure(error),
    )

  return (
    <div className="l-stack-12">
      {onClose ? (
        <StartedNotice jobId={jobId} count={counts.total} offline={waiting.length} onOpen={onClose} />
      ) : null}
      <div>
        <div
          role="progressbar"
          aria-label={t('progress.label', { done, total: counts.total })}
          aria-valuenow={done}
          aria-valuemin={0}
          aria-valuemax={counts.total}
          className={css.progress}
        >
          {(['succeeded', 'failed', 'canceled'] as const).map((part) => (
            <span key={part} data-part={part} style={{ width: `${(counts[part] / counts.total) * 100}%` }} />
          ))}
        </div>
        <div className="l-facts" aria-live="polite">
          <strong>{t('progress.label', { done, total: counts.total })}</strong>
          {counts.running > 0 ? <span>{t('progress.running', { count: counts.running })}</span> : null}
          {counts.queued > 0 ? <span>{t('progress.queued', { count: counts.queued })}</span> : null}
          {counts.succeeded > 0 ? (
            <span className="l-success">{t('progress.succeeded', { count: counts.succeeded })}</span>
          ) : null}
          {counts.failed > 0 ? (
            <span className="l-error">{t('progress.failed', { count: counts.failed })}</span>
          ) : null}
          {counts.canceled > 0 ? <span>{t('progress.canceled', { count: counts.canceled })}</span> : null}
        </div>
      </div>
      {waiting.length > 0 ? (
        <WaitingDevices devices={waiting} expiresAt={job.data?.data.expires_at ?? null} />
      ) : null}
      {counted ? <JobNotes job={counted} runs={rows} queued={counts.queued} /> : null}
      <JobRunList runs={rows} script={script} onChanged={() => runs.refetch()} onFailure={setFailure} />
      {/* Below the list: its bars grow with each result. */}
      {rows.length > 1 && !isPartial ? <ExitCodes runs={rows} /> : null}
      {failure === null ? null : <Alert type="error" showIcon title={errorText(failure)} />}
      <div className="l-buttons-end">
        {open > 1 ? (
          <GuardedButton
            resource="jobs"
            action="cancel"
            danger
            confirm={{
              title: t('cancel.allTitle', { count: open, script }),
              text: t('cancel.allText'),
              okText: t('cancel.all'),
              onConfirm: cancelAll,
            }}
          >
            {t('cancel.all')}
          </GuardedButton>
        ) : null}
        {failed.length > 0 && onRunAgain && !isPartial ? (
          <Button
            disabled={job.data === undefined}
            onClick={() =>
              onRunAgain(
                failed,
                job.data?.data.parameters ?? {},
                rows.flatMap(({ device }) => device ?? []),
              )
            }
          >
            {t('again.failed', { count: failed.length })}
          </Button>
        ) : null}
        {onClose ? (
          <Button type="primary" onClick={onClose}>
            {t('progress.close')}
          </Button>
        ) : null}
      </div>
    </div>
  )
}

type StartedProps = { jobId: string; count: number; offline: number; onOpen: () => void }

/** Names the started job and the place to find it after the dialog is closed. */
function StartedNotice({ jobId, count, offline, onOpen }: StartedProps) {
  const { t } = useTranslation('jobs')
  const can = useCan()
  const task = findDefinition('jobs')
  return (
    <Alert
      type={offline > 0 ? 'warning' : 'success'}
      showIcon
      title={t('progress.started', { count })}
      description={offline > 0 ? t('progress.startsLater', { count: offline }) : undefined}
      action={
        task && can('jobs', 'show').allowed ? (
          <Link to={showPath(task, jobId)} onClick={onOpen}>
            {t('progress.openTask')}
          </Link>
        ) : null
      }
    />
  )
}

type WaitingProps = { devices: { id: string; name: string }[]; expiresAt: string | null }

/** The offline devices that have yet to run, by name, and until when they may. */
function WaitingDevices({ devices, expiresAt }: WaitingProps) {
  const { t } = useTranslation('jobs')
  const language = useLanguage()
  const { names, left } = namesShown(devices)
  return (
    <span className="l-soft l-anywhere">
      {expiresAt ? t('progress.waitingOffline', { until: formatDateTime(expiresAt, language) }) : null}{' '}
      <strong>{names.join(', ')}</strong> {left > 0 ? t('progress.more', { count: left }) : null}
    </span>
  )
}
