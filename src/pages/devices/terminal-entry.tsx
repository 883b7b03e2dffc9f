import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatExitCode } from '@/i18n/format'
import { useRpcCall } from '@/refine/use-rpc'
import { useDurationText } from '@/resource/fields/number/duration-text'
import { showPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { displayText } from '@/runs/output/output-text'
import { isRunErrorCode } from '@/runs/output/run-error'
import { useSingleRun } from '@/runs/progress/job-data'
import { durationMs, isOpen } from '@/runs/progress/run-status'
import { VisibleText } from '@/ui/visible-text'
import css from './terminal.module.css'

/** The end of a long output is shown; the task has all of it. */
const MAX_SHOWN = 20_000

interface TerminalEntryProps {
  command: string
  /** Null until the server has taken the command. */
  jobId: string | null
  failure: string | undefined
  companyId: string
  /** Gets what stops the command, while it runs. */
  onOpen: (cancel: () => void) => void
  onEnd: () => void
}

/** A command and what the device answered. */
export function TerminalEntry(props: TerminalEntryProps) {
  const { t } = useTranslation('devices')
  const { command, jobId, failure } = props
  return (
    <div className={css.entry}>
      <pre className={css.command}>
        {'› '}
        <VisibleText text={command} />
      </pre>
      {failure !== undefined ? (
        <p className={css.bad}>{`${t('terminal.failed')}: ${failure}`}</p>
      ) : jobId === null ? (
        <p className={css.hint}>{t('terminal.waiting')}</p>
      ) : (
        <Answer {...props} jobId={jobId} />
      )}
    </div>
  )
}

function Answer({ jobId, companyId, onOpen, onEnd }: TerminalEntryProps & { jobId: string }) {
  const { t } = useTranslation('devices')
  const { query, run } = useSingleRun(jobId, companyId)
  const call = useRpcCall()
  const isOver = run !== undefined && !isOpen(run.status)
  const runId = run?.id
  const refetch = query.refetch
  const latest = useRef({ onOpen, onEnd })
  useEffect(() => {
    latest.current = { onOpen, onEnd }
  })
  useEffect(() => {
    if (runId === undefined) return
    if (isOver) latest.current.onEnd()
    else
      latest.current.onOpen(() => {
        void call('cancel_run', { run_id: runId }).finally(() => void refetch())
      })
  }, [runId, isOver, call, refetch])
  if (!run) return <p className={css.hint}>{t('terminal.waiting')}</p>
  return <RunAnswer run={run} jobId={jobId} />
}

type ShownRun = NonNullable<ReturnType<typeof useSingleRun>['run']>

function RunAnswer({ run, jobId }: { run: ShownRun; jobId: string }) {
  const { t } = useTranslation(['devices', 'jobs'])
  const durationText = useDurationText()
  const end = useRef<HTMLParagraphElement>(null)
  const text = displayText(run.output ?? '')
  const size = text.length
  useEffect(() => {
    if (size > 0) end.current?.scrollIntoView({ block: 'nearest' })
  }, [size])
  const jobs = findDefinition('jobs')
  const duration = durationMs(run)
  const state = () => {
    if (run.status === 'queued') return t('terminal.waiting')
    if (isOpen(run.status) && run.device?.status === 'offline') return t('terminal.offline')
    if (isOpen(run.status)) return t(run.cancel_requested_at ? 'terminal.stopping' : 'terminal.running')
    if (run.error) return isRunErrorCode(run.error) ? t(`jobs:errors.${run.error}`) : run.error
    return t('terminal.exit', { code: run.exit_code === null ? '–' : formatExitCode(run.exit_code) })
  }
  return (
    <>
      {size > MAX_SHOWN ? (
        <p className={css.hint}>
          {t('terminal.earlier')} {jobs ? <Link to={showPath(jobs, jobId)}>{t('terminal.open')}</Link> : null}
        </p>
      ) : null}
      {size > 0 ? <pre className={css.text}>{text.slice(-MAX_SHOWN)}</pre> : null}
      <p
        ref={end}
        className={run.status === 'succeeded' ? css.good : isOpen(run.status) ? css.hint : css.bad}
        aria-live="polite"
      >
        {duration === null ? null : `${durationText(duration / 1000)} · `}
        {state()}
      </p>
    </>
  )
}
