import { useQuery } from '@tanstack/react-query'
import { Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { readMembers, readTargets } from '@/pages/devices/target-data'
import { JobProgress } from '@/pages/jobs/job-progress'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { readProcedure } from './procedure-data'
import { RunForm, type RunPreset, type StartedJob } from './run-form'
import { MOST_TARGETS } from './targets'

type Props = {
  /** Devices, groups or procedures, as `resource` says; none opens an empty form. */
  records: readonly { id?: unknown }[]
  resource: string
  onClose: () => void
  procedureId?: string
  /** Values of an earlier run, offered again. */
  earlier?: Record<string, unknown>
}

/** Chooses, starts and then watches a run, without leaving the page it was opened on. */
export function RunProcedureDialog({ records, resource, onClose, procedureId, earlier }: Props) {
  // With the words of what the dialog shows later: waiting for them then would hide it, and the focus would be lost.
  const { t } = useTranslation(['procedures', 'devices', 'jobs', 'access'])
  const language = useLanguage()
  const errorText = useErrorText()
  const { companyId } = useCompanyScope()
  const ids = records.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  const chosenProcedure = procedureId ?? (resource === 'procedures' ? ids[0] : undefined)
  const [again, setAgain] = useState<RunPreset | null>(null)
  const [job, setJob] = useState<StartedJob | null>(null)

  const preset = useQuery({
    queryKey: [companyId ?? 'all', 'run-dialog', resource, ids, chosenProcedure],
    queryFn: async (): Promise<RunPreset | null> => {
      const [procedure, targets] = await Promise.all([
        chosenProcedure ? readProcedure(chosenProcedure) : null,
        resource === 'devices' ? readTargets(ids) : resource === 'groups' ? readMembers(ids) : [],
      ])
      if (targets === null) return null
      return { procedure, targets, ...(earlier ? { earlier } : {}) }
    },
    // What the dialog opened with stays, whatever changes behind it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const current = again ?? preset.data

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
      ) : preset.data === null ? (
        <ErrorState
          title={t('run.groupTooLarge')}
          text={t('run.tooMany', { most: formatNumber(MOST_TARGETS, language) })}
        />
      ) : preset.isError ? (
        <ErrorState text={errorText(preset.error)} onRetry={() => preset.refetch()} />
      ) : (
        <LoadingState rows={4} />
      )}
    </Modal>
  )
}
