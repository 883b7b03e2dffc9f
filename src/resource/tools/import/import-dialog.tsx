import { Button, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { Definition } from '@/resource/language/definition.generated'
import { listPath } from '@/resource/language/naming'
import { CheckStep } from '@/resource/tools/import/check-step'
import { ColumnsStep } from '@/resource/tools/import/columns-step'
import { FileStep } from '@/resource/tools/import/file-step'
import { STEPS, useImport } from '@/resource/tools/import/use-import'
import { LeaveGuard } from '@/ui/leave-guard'
import '@/resource/tools/import/import.css'

const WIDTH = 960

interface ImportDialogProps {
  definition: Definition
  onClose: () => void
}

/** Records from a file, step by step; nothing is written before its last one. */
export function ImportDialog({ definition, onClose }: ImportDialogProps) {
  const { t } = useTranslation('import')
  const language = useLanguage()
  const navigate = useNavigate()
  const work = useImport(definition)
  const [isLeaving, setLeaving] = useState(false)
  const { words, step, shown, source, run } = work
  const { state } = run
  const isWriting = state.phase === 'writing'
  const isDone = state.phase === 'done'
  const hasWork = source.table !== null && !isDone
  const handleClose = () => (hasWork ? setLeaving(true) : onClose())
  const handleList = () => {
    onClose()
    navigate(listPath(definition))
  }

  const report = state.phase === 'checked' ? state.report : null
  const planned = report ? report.answer.inserted + report.answer.updated : 0
  const handleAgain = () => void run.check(isLost(state) ? 'lost' : null)
  const main = {
    file: { label: t('next'), press: work.toColumns, isOff: !work.isFileReady },
    columns: { label: t('toCheck'), press: work.toCheck, isOff: !work.isPlanReady },
    check: {
      label: t('start', { count: planned, rows: formatNumber(planned, language) }),
      press: () => report && void run.write(report),
      isOff: report === null || report.mistakes.length > 0 || planned === 0,
    },
  }[step]
  return (
    <Modal
      open
      width={WIDTH}
      title={t('title', { name: words.many })}
      closable={!isWriting}
      keyboard={!isWriting}
      onCancel={handleClose}
      footer={
        isDone ? (
          <>
            <Button onClick={onClose}>{t('close')}</Button>
            <Button type={work.toNextPart ? 'default' : 'primary'} onClick={handleList}>
              {t('run.toList')}
            </Button>
            {work.toNextPart ? (
              <Button type="primary" onClick={work.toNextPart}>
                {t('parts.next')}
              </Button>
            ) : null}
          </>
        ) : (
          <div className="k-import-buttons">
            <Button disabled={isWriting} onClick={handleClose}>
              {t('cancel')}
            </Button>
            {step === 'file' ? null : (
              <Button disabled={isWriting} onClick={work.toFile}>
                {t('otherFile')}
              </Button>
            )}
            {step === 'check' ? (
              <Button disabled={isWriting} onClick={work.toColumns}>
                {t('backToColumns')}
              </Button>
            ) : null}
            <Button type="primary" disabled={main.isOff} loading={isWriting} onClick={main.press}>
              {main.label}
            </Button>
          </div>
        )
      }
    >
      <ol className="k-import-steps">
        {STEPS.map((each) => (
          <li key={each} aria-current={each === shown ? 'step' : undefined}>
            {t(`steps.${each}`)}
          </li>
        ))}
      </ol>
      {step === 'file' ? <FileStep source={source} onTemplate={work.downloadTemplate} /> : null}
      {step === 'columns' && source.table ? (
        <ColumnsStep
          {...{ definition, words }}
          table={source.table}
          fields={work.fields}
          modes={work.modes}
          planning={work.planning}
          company={work.company}
        />
      ) : null}
      {step === 'check' ? (
        <CheckStep
          {...{ definition, words, state }}
          count={source.table?.rows.length ?? 0}
          onCheck={handleAgain}
        />
      ) : null}
      <LeaveGuard
        loss="file"
        isLost={() => hasWork}
        title={t('leave.title')}
        text={isWriting ? t('leave.running') : t('leave.text')}
        closing={isLeaving ? { leave: onClose, stay: () => setLeaving(false) } : null}
      />
    </Modal>
  )
}

/** Whether it is open if the rows were written: what the next check finds out. */
function isLost(state: ReturnType<typeof useImport>['run']['state']): boolean {
  return state.phase === 'lost' || (state.phase === 'uncheckable' && state.before === 'lost')
}
