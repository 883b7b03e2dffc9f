import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import type { NamedAction } from '@/resource/actions/actions'
import { BulkJobDialog } from '@/resource/bulk/bulk-job-dialog'
import { type BulkTarget, useTarget } from '@/resource/bulk/use-target'
import type { Definition } from '@/resource/definition/definition.generated'
import type { ResourceScope } from '@/resource/queries/use-scope'
import { useErrorText } from '@/resource/use-error-text'
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

/** One job over many rows: finds them, asks, runs with progress, and says what it did. */
export function BulkDialog(props: BulkDialogProps) {
  const { t } = useTranslation('bulk')
  const errorText = useErrorText()
  const { ids, found, error } = useTarget(props.target)
  if (ids) return <BulkJobDialog {...props} ids={ids} />
  return (
    <Modal open title={t('collecting')} footer={null} onCancel={() => props.onClose(false)}>
      {error ? <ErrorState text={errorText(error)} /> : <p role="status">{t('found', { count: found })}</p>}
    </Modal>
  )
}
