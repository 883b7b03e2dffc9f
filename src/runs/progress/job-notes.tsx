import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { listPath, showPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { RunAgain } from '@/runs/start/run-again'
import { platformLimit, systemsIn } from '@/runs/targets/targets'
import { MAX_RUNS_LISTED, type RunWithDevice } from './job-data'
import css from './runs.module.css'

interface JobNotesProps {
  job: {
    id: string
    total: number
    max_running: number | null
    procedure_id: string | null
    left_out: number
    left_full: number
    platforms: string[] | null
  }
  runs: readonly RunWithDevice[]
  queued: number
}

const ENDED_WAITING = ['replaced', 'declined'] as const

/** Why runs of a task wait, and where those are that its page does not list. */
export function JobNotes({ job, runs, queued }: JobNotesProps) {
  const { t } = useTranslation(['jobs', 'procedures'])
  const language = useLanguage()
  const unapproved = runs.filter(
    ({ status, waits_for }) => status === 'queued' && waits_for === 'approval',
  ).length
  const procedures = findDefinition('procedures')
  const list = findDefinition('job_runs')
  const limit = platformLimit({ type: '', platforms: job.platforms })
  const chosen = formatNumber(job.total + job.left_out + job.left_full, language)
  return (
    <>
      {job.left_out > 0 ? (
        <Alert
          type="info"
          showIcon
          title={t('procedures:run.excludedByPlatform', {
            count: job.left_out,
            total: chosen,
            systems: limit ? systemsIn(limit, language) : '–',
          })}
        />
      ) : null}
      {job.left_full > 0 ? (
        <Alert type="warning" showIcon title={t('progress.full', { count: job.left_full, total: chosen })} />
      ) : null}
      {job.max_running !== null && queued > 0 ? (
        <span>{t('progress.atOnce', { max: formatNumber(job.max_running, language) })}</span>
      ) : null}
      {unapproved > 0 ? (
        <Alert
          type="warning"
          showIcon
          title={t('progress.approval', { count: unapproved })}
          action={
            procedures && job.procedure_id ? (
              <Link to={showPath(procedures, job.procedure_id)}>{t('progress.openScript')}</Link>
            ) : null
          }
        />
      ) : null}
      {ENDED_WAITING.map((error) => {
        const ended = runs.filter((run) => run.error === error)
        return ended.length > 0 ? (
          <Alert
            key={error}
            type="warning"
            showIcon
            title={
              <div className={css.note}>
                {t(`progress.${error}`, { count: ended.length })}
                <RunAgain
                  procedureId={job.procedure_id}
                  deviceIds={ended.map(({ device_id }) => device_id)}
                  error={error}
                />
              </div>
            }
          />
        ) : null
      })}
      {job.total > MAX_RUNS_LISTED && list ? (
        <span>
          {t('progress.listed', { max: formatNumber(MAX_RUNS_LISTED, language) })}{' '}
          <Link to={`${listPath(list)}?job_id=${job.id}`}>{t('progress.allRuns')}</Link>
        </span>
      ) : null}
    </>
  )
}
