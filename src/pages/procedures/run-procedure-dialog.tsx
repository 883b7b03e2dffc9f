import { useOne } from '@refinedev/core'
import { Modal } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useTargets } from '@/pages/devices/target-data'
import { JobProgress } from '@/pages/jobs/job-progress'
import { useErrorText } from '@/resource/use-error-text'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { PROCEDURE_CHOICE, type ProcedureRow, toChoice } from './procedure-data'
import { RunForm, type RunPreset, type StartedJob } from './run-form'
import { MAX_TARGETS } from './targets'

type Props = {
  /** Devices, groups or procedures, as `resource` says; none opens an empty form. */
  records: readonly { id?: unknown }[]
  resource: string
  onClose: () => void
  procedureId?: string
  /** Values of an earlier run, offered again. */
  earlier?: Record<string, unknown>
}

/** Configures, starts and then follows a run, without leaving the page. */
export function RunProcedureDialog({ records, resource, onClose, procedureId, earlier }: Props) {
  // Loads the texts of its later steps at once: loading them then would suspend the dialog and lose the
  // focus.
  const { t } = useTranslation(['procedures', 'devices', 'jobs', 'access'])
  const language = useLanguage()
  const errorText = useErrorText()
  const ids = records.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  const chosenProcedure = procedureId ?? (resource === 'procedures' ? ids[0] : undefined)
  const [again, setAgain] = useState<RunPreset | null>(null)
  const [job, setJob] = useState<StartedJob | null>(null)

  const { query: procedure } = useOne<ProcedureRow>({
    resource: 'procedures',
    id: chosenProcedure ?? '',
    meta: { select: PROCEDURE_CHOICE },
    errorNotification: false,
    queryOptions: { enabled: chosenProcedure !== undefined, gcTime: 0 },
  })
  const targets = useTargets(resource, ids)
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
  const error = procedure.error ?? targets.error
  const retry = () =>
    Promise.all([procedure, targets].flatMap((each) => (each.error ? [each.refetch()] : [])))

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
          onRunAgain={(failedIds, parameters) => {
            const failed = new Set(failedIds)
            setAgain({
              procedure: job.procedure,
              targets: job.targets.filter((target) => failed.has(target.id)),
              earlier: parameters,
            })
            setJob(null)
          }}
        />
      ) : current ? (
        <RunForm preset={current} onStarted={setJob} onClose={onClose} />
      ) : targets.data === null ? (
        <ErrorState
          title={t('run.groupTooLarge')}
          text={t('run.tooMany', { max: formatNumber(MAX_TARGETS, language) })}
        />
      ) : error ? (
        <ErrorState text={errorText(error)} onRetry={retry} />
      ) : (
        <LoadingState rows={4} />
      )}
    </Modal>
  )
}
