import { Alert, Drawer } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { usePhrase } from '@/resource/language/phrases'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { RunOutputView } from '@/runs/output/run-output'
import { RunAgain } from '@/runs/start/run-again'
import { useRun } from './job-data'
import { RunFacts } from './run-facts'
import { RunStatusTag } from './run-status-tag'
import css from './runs.module.css'
import { StopRunButton } from './stop-run-button'

type Props = { runId: string | null; companyId: string; onClose: () => void }

/** Shows a run with its output, next to the list it was opened from. */
export function RunDrawer({ runId, companyId, onClose }: Props) {
  const { t } = useTranslation('jobs')
  return (
    <Drawer
      open={runId !== null}
      onClose={onClose}
      title={t('run.title')}
      size="min(960px, 100vw)"
      styles={{ body: { display: 'flex', flexDirection: 'column' } }}
      destroyOnHidden
    >
      {runId === null ? null : <RunView runId={runId} companyId={companyId} />}
    </Drawer>
  )
}

function RunView({ runId, companyId }: { runId: string; companyId: string }) {
  const { t } = useTranslation('jobs')
  const phrase = usePhrase()
  const errorText = useErrorText()
  const [failure, setFailure] = useState<unknown>(null)
  const query = useRun(runId, companyId)
  if (query.data === undefined) return <QueryState query={query} rows={4} />
  const run = query.data.data
  const script = run.job ? phrase(run.job.name) : t('run.noScript')
  const device = run.device?.name ?? t('run.noDevice')
  return (
    <div className={css.drawer}>
      <div className="l-row">
        <strong className={css.drawerTitle}>
          {run.procedure_id ? <Link to={`/procedures/${run.procedure_id}`}>{script}</Link> : script}
        </strong>
        <RunStatusTag status={run.status} />
        <StopRunButton
          run={run}
          script={script}
          device={device}
          onStopped={() => query.refetch()}
          onFailure={setFailure}
        />
      </div>
      <span>
        {t('run.device')} {run.device ? <Link to={`/devices/${run.device.id}`}>{device}</Link> : device}
      </span>
      <RunFacts run={run} />
      {failure === null ? null : <Alert type="error" showIcon title={errorText(failure)} />}
      <RunAgain procedureId={run.procedure_id} deviceIds={[run.device_id]} error={run.error} />
      <RunOutputView run={run} deviceName={device} height="fill" />
    </div>
  )
}
