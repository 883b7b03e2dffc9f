import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { useRpcCall } from '@/refine/use-rpc'
import type { Run } from './job-data'
import { isOpen } from './run-status'

type Props = {
  run: Run
  script: string
  device: string
  onStopped: () => unknown
  onFailure: (error: unknown) => void
}

/** Hidden once the run has ended; disabled once a stop was requested, until the device acts on it. */
export function StopRunButton({ run, script, device, onStopped, onFailure }: Props) {
  const { t } = useTranslation('jobs')
  const call = useRpcCall()
  if (!isOpen(run.status)) return null
  const isAsked = run.cancel_requested_at !== null
  return (
    <GuardedButton
      resource="job_runs"
      action="cancel"
      size="small"
      danger
      disabled={isAsked}
      confirm={{
        title: t('cancel.runTitle', { script, device }),
        text: t('cancel.runText'),
        okText: t('cancel.run'),
        onConfirm: () => call('cancel_run', { run_id: run.id }).then(onStopped, onFailure),
      }}
      aria-label={isAsked ? undefined : t('cancel.runOf', { script, device })}
    >
      {isAsked ? t('cancel.requested') : t('cancel.run')}
    </GuardedButton>
  )
}
