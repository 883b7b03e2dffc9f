import { useOne } from '@refinedev/core'
import { Modal } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MatchingRows } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { JobProgress } from '@/runs/progress/job-progress'
import { useTargetPreset } from '@/runs/targets/target-data'
import { PROCEDURE_CHOICE, type ProcedureRow, toChoice } from './procedure-data'
import { RunForm, type RunPreset, type StartedJob } from './run-form'

type Props = {
  /** Devices, groups or procedures, as `resource` says; none opens an empty form. */
  records: readonly { id?: unknown }[]
  resource: string
  /** In place of records: all devices of a list's filter. */
  matching?: MatchingRows
  onClose: () => void
  procedureId?: string
  /** Values of an earlier run, offered again. */
  earlier?: Record<string, unknown>
  /** Follows the run in place of this dialog. */
  onStarted?: (jobId: string) => void
}

/** Configures, starts and then follows a run, without leaving the page. */
export function RunProcedureDialog(props: Props) {
  const { records, resource, matching, onClose, procedureId, earlier, onStarted } = props
  // Loads the texts of its later steps at once: loading them then would suspend the dialog and lose the
  // focus.
  const { t } = useTranslation(['procedures', 'devices', 'jobs', 'access'])
  const ids = records.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  const chosenProcedure = procedureId ?? (resource === 'procedures' ? ids[0] : undefined)
  const [again, setAgain] = useState<RunPreset | null>(null)
  const [job, setJob] = useState<StartedJob | null>(null)

  const { query: procedure } = useOne<ProcedureRow>({
    resource: 'procedures',
    id: chosenProcedure ?? '',
    meta: { select: PROCEDURE_CHOICE },
    queryOptions: { enabled: chosenProcedure !== undefined, gcTime: 0 },
  })
  const targets = useTargetPreset(resource, ids, matching)
  const row = procedure.data?.data
  const preset = useMemo((): RunPreset | undefined => {
    if (!targets.data || (chosenProcedure && !row)) return undefined
    return {
      procedure: row ? toChoice(row) : null,
      targets: targets.data,
      ...(earlier ? { earlier } : {}),
    }
  }, [chosenProcedure, row, targets.data, earlier])
  // The form keeps the values the dialog opened with, even when data behind it changes.
  const current = again ?? preset

  return (
    <Modal
      open
      title={job ? t('run.titleRunning', { name: job.procedure.name }) : t('run.title')}
      onCancel={onClose}
      footer={null}
      width={720}
      mask={{ closable: job !== null }}
    >
      {job ? (
        <JobProgress
          jobId={job.jobId}
          companyId={job.companyId}
          onClose={onClose}
          onRunAgain={(failedIds, parameters, devices) => {
            const failed = new Set(failedIds)
            const known = job.targets ?? devices.map((device) => ({ ...device, company_id: job.companyId }))
            setAgain({
              procedure: job.procedure,
              targets: { devices: known.filter(({ id }) => failed.has(id)) },
              earlier: parameters,
            })
            setJob(null)
          }}
        />
      ) : current ? (
        <RunForm
          preset={current}
          onStarted={(started) => (onStarted ? onStarted(started.jobId) : setJob(started))}
          onClose={onClose}
        />
      ) : (
        <QueryState query={chosenProcedure ? [procedure, targets] : targets} rows={4} />
      )}
    </Modal>
  )
}
