import { Alert, Modal } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type DataError, toDataError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { useRpcCall } from '@/refine/use-rpc'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import type { NamedAction } from '@/resource/request/filter/actions'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { ActionDialog } from '@/resource/screens/actions/action-dialog'
import { type Matching, readMatching } from '@/resource/tools/bulk/bulk-calls'
import { BulkJobDialog } from '@/resource/tools/bulk/bulk-job-dialog'
import { useErrorText } from '@/resource/use-error-text'
import { ErrorState } from '@/ui/error-state'

/**
 * Individually selected rows, or all matching rows; then `of` is the size of the list, if an action takes
 * fewer.
 */
type BulkTarget = { rows: readonly Row[] } | { matching: Matching; of: number | undefined }

interface TargetIds {
  ids: readonly string[] | null
  found: number
  error: DataError | null
}

/** The rows of a job, found before it asks, so that the number in its question is the number it processes. */
function useTarget(target: BulkTarget): TargetIds {
  const [state, setState] = useState<TargetIds>(() =>
    'rows' in target
      ? { ids: target.rows.map(({ id }) => String(id)), found: target.rows.length, error: null }
      : { ids: null, found: 0, error: null },
  )
  const call = useRpcCall()
  useEffect(() => {
    if ('rows' in target) return
    let isGone = false
    readMatching(
      call,
      target.matching,
      () => isGone,
      (found) => {
        if (!isGone) setState((before) => ({ ...before, found }))
      },
    ).then(
      (ids) => {
        if (!isGone) setState({ ids, found: ids.length, error: null })
      },
      (error: unknown) => {
        if (!isGone) setState((before) => ({ ...before, error: toDataError(error) }))
      },
    )
    return () => {
      isGone = true
    }
  }, [target, call])
  return state
}

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

/** Runs a job over many rows: finds them, asks, runs with progress, and shows a summary. */
export function BulkDialog(props: BulkDialogProps) {
  const { definition, scope, job, target, onClose } = props
  if (job.kind === 'action' && job.named.action.matching && 'matching' in target)
    return (
      <ActionDialog
        {...{ definition, scope }}
        named={job.named}
        rows={[]}
        matching={{ filter: target.matching.filter, q: target.matching.q }}
        onClose={() => onClose(false)}
        onDone={() => onClose(true)}
      />
    )
  return <FoundRows {...props} />
}

function FoundRows(props: BulkDialogProps) {
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

/** An action with its own dialog. For all matching rows, it gets their ids and reads what it shows. */
function OwnDialog({
  definition,
  scope,
  target,
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
        rows={'rows' in target ? target.rows : ids.map((id) => ({ id }))}
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
