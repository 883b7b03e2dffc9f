import { Alert, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { ActionDialog } from '@/resource/actions/action-dialog'
import type { NamedAction } from '@/resource/actions/actions'
import { BulkJobDialog } from '@/resource/bulk/bulk-job-dialog'
import { type BulkTarget, useTarget } from '@/resource/bulk/use-target'
import type { Definition } from '@/resource/definition/definition.generated'
import type { ResourceScope } from '@/resource/queries/use-scope'
import { useErrorText } from '@/resource/use-error-text'
import { useWords } from '@/resource/words'
import { ErrorState } from '@/ui/error-state'

export type { BulkTarget }
export type BulkJob = { kind: 'edit' } | { kind: 'delete' } | { kind: 'action'; named: NamedAction }

export interface BulkDialogProps {
  definition: Definition
  scope: ResourceScope
  job: BulkJob
  target: BulkTarget
  onClose: (isDone: boolean) => void
}

/** The maximum number of records for an action with its own dialog, which shows all of them. */
const MAX_SHOWN = 1000

/** One job over many rows: finds them, asks, runs with progress, and shows a summary. */
export function BulkDialog(props: BulkDialogProps) {
  const { t } = useTranslation('bulk')
  const errorText = useErrorText()
  const { ids, found, error } = useTarget(props.target)
  if (ids && props.job.kind === 'action' && props.job.named.action.component)
    return <OwnDialog {...props} named={props.job.named} ids={ids} />
  if (ids) return <BulkJobDialog {...props} ids={ids} />
  return (
    <Modal open title={t('collecting')} footer={null} onCancel={() => props.onClose(false)}>
      {error ? <ErrorState text={errorText(error)} /> : <p role="status">{t('found', { count: found })}</p>}
    </Modal>
  )
}

/** An action with its own dialog, over all matching rows. It gets their ids and reads what it shows. */
function OwnDialog({
  definition,
  scope,
  named,
  ids,
  onClose,
}: BulkDialogProps & { named: NamedAction; ids: readonly string[] }) {
  const { t } = useTranslation('bulk')
  const words = useWords(definition)
  if (ids.length > 0 && ids.length <= MAX_SHOWN)
    return (
      <ActionDialog
        {...{ definition, scope, named }}
        rows={ids.map((id) => ({ id }))}
        onClose={() => onClose(false)}
        onDone={() => onClose(true)}
      />
    )
  return (
    <Modal open title={words.action(named.name)} footer={null} onCancel={() => onClose(false)}>
      <Alert
        type="warning"
        showIcon
        title={ids.length === 0 ? t('none') : t('tooMany', { count: ids.length, max: MAX_SHOWN })}
      />
    </Modal>
  )
}
