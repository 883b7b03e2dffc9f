import { Button, Form, Modal } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { randomUuid } from '@/data/random-uuid'
import type { Row } from '@/data/rows'
import { useWords } from '@/resource/language/words'
import { isImmediate } from '@/resource/request/filter/actions'
import { isOfColumns, matchingFilter } from '@/resource/request/filter/matching-filter'
import { useDoneText } from '@/resource/request/query/use-write'
import { clearErrors } from '@/resource/screens/form/clear-errors'
import { newValues } from '@/resource/screens/form/form-values'
import { AffectedRows, useAffected } from '@/resource/tools/bulk/affected-rows'
import { useBatchWrites } from '@/resource/tools/bulk/bulk-calls'
import type { BulkDialogProps } from '@/resource/tools/bulk/bulk-dialog'
import { CONFIRMATION, type JobQuestion, JobQuestions } from '@/resource/tools/bulk/bulk-questions'
import { type BulkReport, doneCount, type RowOutcome } from '@/resource/tools/bulk/bulk-run'
import { BulkSummary } from '@/resource/tools/bulk/bulk-summary'
import { editChanges, editSteps, isComplete } from '@/resource/tools/bulk/edit-plan'
import { type Bulk, useBulk } from '@/resource/tools/bulk/use-bulk'
import { isOtherList, LeaveGuard } from '@/ui/leave-guard'
import '@/resource/tools/bulk/bulk.css'
import { useTrash } from '@/resource/screens/trash/use-trash'
import { PlainButton } from '@/ui/plain-button'
import { ProgressBar } from '@/ui/progress-bar'
import { useToast } from '@/ui/toast'

/** A job that takes longer shows its progress. */
const QUIET_MS = 500

const isClean = ({ phase, report }: Bulk): boolean =>
  phase === 'done' && report.counts.changed === report.total && doneCount(report) === report.total

/** Ends a job of which every row succeeded with a toast, because a summary would say the same twice. */
function useCleanEnd(isOver: boolean, onOver: () => void): void {
  const latest = useRef(onOver)
  useEffect(() => {
    latest.current = onOver
  })
  useEffect(() => {
    if (isOver) latest.current()
  }, [isOver])
}

/**
 * A job without questions starts at once; the dialog opens only if the job takes long or has something to report.
 * Returns whether the dialog stays closed.
 */
function useQuietStart(isQuiet: boolean, bulk: Bulk, start: () => void): boolean {
  const hasBegun = useRef(false)
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    if (!isQuiet || hasBegun.current) return
    hasBegun.current = true
    start()
  })
  useEffect(() => {
    if (!isQuiet) return
    const timer = window.setTimeout(() => setLate(true), QUIET_MS)
    return () => window.clearTimeout(timer)
  }, [isQuiet])
  return isQuiet && !isLate && (bulk.phase !== 'done' || isClean(bulk))
}

/** The progress of a job, as a bar and as text for screen readers. */
function BulkProgress({ report, label }: { report: BulkReport; label: string }) {
  const { t } = useTranslation('bulk')
  const done = doneCount(report)
  const { stale, gone, refused } = report.counts
  return (
    <>
      <ProgressBar label={label} done={done} total={report.total} />
      <p role="status">{t('progress', { done, total: report.total })}</p>
      {refused > 0 ? <p>{t('refused', { count: refused })}</p> : null}
      {stale > 0 ? <p>{t('stale', { count: stale })}</p> : null}
      {gone > 0 ? <p>{t('gone', { count: gone })}</p> : null}
    </>
  )
}

/** Up to this number a mistake can be corrected by hand; above it the user must type the number. */
const MAX_UNTYPED = 25

interface BulkJobDialogProps extends BulkDialogProps {
  ids: readonly string[]
}

export function BulkJobDialog({ definition, scope, job, target, ids, onClose }: BulkJobDialogProps) {
  const { t } = useTranslation('bulk')
  const { t: engine } = useTranslation('engine')
  const words = useWords(definition)
  const doneText = useDoneText(words)
  const [form] = Form.useForm<Row>()
  const writes = useBatchWrites(definition)
  const [jobId] = useState(() => randomUuid())
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set())
  const named = job.kind === 'action' ? job.named : undefined
  const rows = 'rows' in target ? target.rows : undefined
  const affected = useAffected(definition, named, ids, rows, leftOut, scope.filter)
  const bulk = useBulk(definition, affected.ids)
  const { phase, report, isStopping, isUndo } = bulk
  const count = affected.ids.length
  const isDestructive = job.kind === 'delete' || (job.kind === 'action' && job.named.action.danger === true)
  const label =
    job.kind === 'action'
      ? words.action(job.named.name)
      : engine(job.kind === 'delete' ? 'action.delete' : 'show.edit')
  const question: JobQuestion = {
    definition,
    job,
    ids: affected.ids,
    rows: rows ?? [],
    of: 'rows' in target ? undefined : target.of,
    needsTyping: isDestructive && count > MAX_UNTYPED,
  }

  const params = job.kind === 'action' ? (job.named.action.params ?? {}) : {}
  const initialValues = newValues({ ...definition, fields: params }, scope.filter)

  const start = (answers: Row) => {
    const { [CONFIRMATION]: _typed, ...values } = answers
    const edit = editChanges(definition, editSteps(definition, values))
    bulk.start((rows): Promise<RowOutcome[]> => {
      if (job.kind === 'delete') return writes.remove(rows)
      if (job.kind === 'edit') return writes.edit(rows, edit, jobId)
      const { when, repeatable } = job.named.action
      const condition =
        when && !repeatable && isOfColumns(definition, when)
          ? matchingFilter(definition, when, null, scope.filter)
          : {}
      return writes.act(job.named, rows, given(values), condition)
    })
  }
  const answers = (Form.useWatch([], { form, preserve: true }) as Row | undefined) ?? {}
  const [isLeaving, setLeaving] = useState(false)
  const hasAnswers = () => phase === 'asking' && form.isFieldsTouched()
  const cancel = () => (hasAnswers() ? setLeaving(true) : onClose(phase === 'done'))
  const isReady =
    count > 0 && !affected.isPending && (job.kind !== 'edit' || isComplete(editSteps(definition, answers)))
  const handleStart = async () => start(await form.validateFields())
  const isQuiet = 'rows' in target && job.kind === 'action' && isImmediate(job.named)
  const { changed } = report.counts
  const things = words.counted(changed)
  const whatWasDone = {
    edit: t(isUndo ? 'undoneTitle' : 'editedTitle', { things }),
    delete: t(isUndo ? 'undoneTitle' : 'deletedTitle', { things }),
    action: job.kind === 'action' ? doneText(job.named.name, changed) : '',
  }[job.kind]
  const isHidden = useQuietStart(isQuiet, bulk, () => start({}))
  const isTrash = job.kind === 'delete' && definition.trash === true
  const { show } = useToast()
  const { restore } = useTrash(definition)
  // An edit keeps its summary, which can undo it.
  useCleanEnd(job.kind !== 'edit' && !isUndo && isClean(bulk), () => {
    const deleted = report.changed.map((id) => rows?.find((row) => String(row.id) === id) ?? { id })
    show({
      type: 'success',
      title: whatWasDone,
      description: isTrash ? (
        <PlainButton size="small" onClick={() => void restore(deleted)}>
          {t('undo')}
        </PlainButton>
      ) : undefined,
    })
    onClose(true)
  })

  const startLabel =
    job.kind === 'edit'
      ? t('apply')
      : job.kind === 'delete'
        ? t('delete', { count })
        : t('run', { count, action: label })
  const isWhole = report.left.length === 0
  const asked = t(`title.${job.kind}`, { action: label, things: words.counted(count) })
  const action = isUndo ? t('undoOf') : label
  const titles = {
    asking: asked,
    running: isUndo ? t('undoTitle', { things: words.counted(report.total) }) : asked,
    done: isWhole ? whatWasDone : t('stoppedTitle', { action }),
  }
  const canUndo = (job.kind === 'edit' || isTrash) && !isUndo && report.changed.length > 0
  const footers = {
    asking: [
      <Button key="cancel" onClick={cancel}>
        {t('cancel')}
      </Button>,
      <Button
        key="start"
        type="primary"
        danger={isDestructive}
        disabled={!isReady}
        onClick={() => void handleStart().catch(() => undefined)}
      >
        {startLabel}
      </Button>,
    ],
    running: [
      <Button key="stop" disabled={isStopping} onClick={bulk.cancel}>
        {t(isStopping ? 'stopping' : 'stop')}
      </Button>,
    ],
    done: [
      ...(canUndo
        ? [
            <GuardedButton
              key="undo"
              resource={definition.name}
              action={isTrash ? 'delete' : 'edit'}
              onClick={() => bulk.undo((rows) => (isTrash ? writes.restore(rows) : writes.undo(rows, jobId)))}
            >
              {t('undo')}
            </GuardedButton>,
          ]
        : []),
      ...(isWhole
        ? []
        : [
            <Button key="on" onClick={bulk.goOn}>
              {t('goOn', { count: report.left.length })}
            </Button>,
          ]),
      <Button key="close" type="primary" onClick={() => onClose(true)}>
        {t('close')}
      </Button>,
    ],
  }
  return (
    <Modal
      open={!isHidden}
      title={titles[phase]}
      footer={footers[phase]}
      width={560}
      // A click outside or Escape must not hide a running job.
      keyboard={phase !== 'running'}
      closable={phase !== 'running'}
      onCancel={cancel}
    >
      {phase === 'asking' ? (
        <Form
          form={form}
          name="bulk"
          layout="vertical"
          initialValues={initialValues}
          onValuesChange={(changed) => clearErrors(form, changed)}
        >
          {named?.action.shows && ids.length > 0 ? (
            <AffectedRows {...{ definition, named, affected, leftOut }} onLeaveOut={setLeftOut} />
          ) : null}
          {count > 0 || ids.length === 0 ? <JobQuestions {...question} /> : null}
        </Form>
      ) : null}
      {phase === 'running' ? <BulkProgress report={report} label={action} /> : null}
      {phase === 'done' ? (
        <BulkSummary
          definition={definition}
          kind={isUndo ? 'undo' : job.kind}
          report={report}
          known={rows ?? []}
        />
      ) : null}
      <LeaveGuard
        loss="changes"
        isLost={hasAnswers}
        isWayOut={isOtherList}
        title={engine('form.leaveTitle')}
        text={engine('form.leaveText')}
        closing={isLeaving ? { leave: () => onClose(false), stay: () => setLeaving(false) } : null}
      />
      <LeaveGuard
        loss="job"
        isLost={() => phase === 'running'}
        isWayOut={isOtherList}
        title={t('leaveTitle')}
        text={t('leaveText')}
      />
    </Modal>
  )
}

/** An empty parameter takes the function's own default. */
function given(values: Row): Row {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  )
}
