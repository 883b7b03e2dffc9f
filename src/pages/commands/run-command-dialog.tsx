import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import type { MatchingRows } from '@/resource/engine-context'
import { JobProgress } from '@/runs/progress/job-progress'
import { useTargetPreset } from '@/runs/targets/target-data'
import { CommandForm } from './command-form'
import { useCommandRun } from './use-command-run'
import './commands.css'
import { QueryState } from '@/resource/query-state'

interface RunCommandDialogProps {
  /** Devices or groups, as `resource` says. */
  records: readonly { id?: unknown }[]
  resource: string
  /** In place of records: all devices of a list's filter. */
  matching?: MatchingRows
  onClose: () => void
}

/** Runs a command on the chosen devices, or those of groups or a filter, without leaving the page. */
export function RunCommandDialog({ records, resource, matching, onClose }: RunCommandDialogProps) {
  // Loads the texts of its later steps at once: loading them then would suspend the dialog.
  const { t } = useTranslation(['commands', 'procedures', 'devices', 'jobs', 'access'])
  const commands = useCommandRun()
  const { started } = commands
  const targets = useTargetPreset(
    resource,
    records.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])),
    matching,
  )
  return (
    <Modal
      open
      title={t('form.title')}
      onCancel={onClose}
      footer={null}
      width={720}
      mask={{ closable: started !== null }}
    >
      {started ? (
        <JobProgress
          key={started.jobId}
          jobId={started.jobId}
          companyId={started.companyId}
          onClose={onClose}
          onRunAgain={commands.runAgain}
        />
      ) : targets.data ? (
        <div className="commands">
          <CommandForm preset={targets.data} commands={commands} />
        </div>
      ) : (
        <QueryState query={targets} rows={4} />
      )}
    </Modal>
  )
}
