import { useTranslation } from 'react-i18next'
import { formatExitCode } from '@/i18n/format'
import { useDurationText } from '@/resource/fields/number/duration-text'
import { RelativeTime } from '@/ui/relative-time'
import type { Run } from './job-data'
import { durationMs } from './run-status'
import css from './runs.module.css'

type Props = {
  run: Pick<Run, 'queued_at' | 'started_at' | 'finished_at' | 'exit_code'> &
    Partial<Pick<Run, 'start_after' | 'waits_for'>> & { status?: string }
}

/** When it started, how long it took, how it ended: one line under a run's name. */
export function RunFacts({ run }: Props) {
  const { t } = useTranslation('jobs')
  const durationText = useDurationText()
  const duration = durationMs(run)
  return (
    <div className={css.facts}>
      <span>
        {run.started_at === null ? t('run.queued') : t('run.started')}{' '}
        <RelativeTime value={run.started_at ?? run.queued_at} />
      </span>
      {run.status === 'queued' && run.start_after && Date.parse(run.start_after) > Date.now() ? (
        <span>
          {t('run.startsAfter')} <RelativeTime value={run.start_after} />
        </span>
      ) : null}
      {run.waits_for === 'approval' && run.status === 'queued' ? (
        <span>{t('run.waitsForApproval')}</span>
      ) : null}
      {run.waits_for === 'approval' && run.status === 'expired' ? <span>{t('run.notApproved')}</span> : null}
      {duration === null ? null : (
        <span>
          {t('run.duration')} {durationText(duration / 1000)}
        </span>
      )}
      {run.exit_code === null ? null : (
        <span>
          {t('run.exitCode')} <code>{formatExitCode(run.exit_code)}</code>
        </span>
      )}
    </div>
  )
}
