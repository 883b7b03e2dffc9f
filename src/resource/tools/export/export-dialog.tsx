import { Alert, Button, Modal, Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useWords } from '@/resource/language/words'
import type { Selection } from '@/resource/request/query/use-list-setup'
import type { ExportFormat } from '@/resource/tools/export/export-file'
import { selectedIds } from '@/resource/tools/export/export-job'
import { type ExportedList, useExport } from '@/resource/tools/export/use-export'
import { MAX_ROWS } from '@/resource/tools/export/xlsx'
import { useErrorText } from '@/resource/use-error-text'
import { isOtherList, LeaveGuard } from '@/ui/leave-guard'
import '@/resource/tools/export/export.css'
import type { ExportProgress } from '@/resource/tools/export/export-job'
import { ProgressBar } from '@/ui/progress-bar'

/** Rows written, of those there are. */
function ExportProgressView({ done, total, isWaiting }: ExportProgress) {
  const { t } = useTranslation('export')
  const language = useLanguage()
  const values = { rows: formatNumber(done, language), total: formatNumber(total ?? 0, language) }
  return (
    <div className="k-export">
      <ProgressBar label={t('progress')} done={done} total={total} />
      <p className="k-figures">{total === null ? t('rows', values) : t('rowsOf', values)}</p>
      {isWaiting ? <Alert type="warning" showIcon title={t('waiting')} role="status" /> : null}
    </div>
  )
}

interface ExportDialogProps extends ExportedList {
  /** How many rows match; undefined while they are counted. */
  total: number | undefined
  selection: Pick<Selection, 'rows' | 'isAll'>
  /** The rows of the page in view. */
  visible: readonly Row[]
  onClose: () => void
}

/** Which file, how far it is, and what came of it. Only closing or cancelling ends it. */
export function ExportDialog({ total, selection, visible, onClose, ...list }: ExportDialogProps) {
  const { t } = useTranslation(['export', 'bulk'])
  const language = useLanguage()
  const errorText = useErrorText()
  const words = useWords(list.definition)
  const { state, start, retry, cancel } = useExport(list)
  const [format, setFormat] = useState<ExportFormat>('xlsx')
  // Fixed when the dialog opens: rows that leave the list later do not change the choice.
  const [selected] = useState(() => selectedIds(selection.rows, visible))
  const [isOfSelected, setOfSelected] = useState(selected.length > 0 && !selection.isAll)
  const isTooLong = !isOfSelected && total !== undefined && total >= MAX_ROWS
  const chosen = isTooLong ? 'csv' : format
  const figures = (count: number) => formatNumber(count, language)
  const isRunning = state.phase === 'running'

  // The same two buttons throughout: a second press finds no other under the pointer, and the focus stays.
  const second = {
    choosing: { label: t('close'), press: onClose },
    running: { label: t('cancel'), press: cancel },
    failed: { label: t('cancel'), press: cancel },
    done: null,
  }[state.phase]
  const main = {
    choosing: { label: t('start'), press: () => void start(chosen, isOfSelected ? selected : null) },
    running: { label: t('start'), press: () => undefined },
    failed: { label: t('retry'), press: retry },
    done: { label: t('close'), press: onClose },
  }[state.phase]
  const whole = total === undefined ? t('whatAll') : t('what', { count: total, rows: figures(total) })
  return (
    <Modal
      open
      title={t('title', { name: words.many })}
      footer={
        <>
          {second ? <Button onClick={second.press}>{second.label}</Button> : null}
          <Button type="primary" loading={isRunning} onClick={main.press}>
            {main.label}
          </Button>
        </>
      }
      closable={!isRunning}
      keyboard={!isRunning}
      onCancel={onClose}
    >
      <LeaveGuard
        loss="job"
        isLost={() => isRunning}
        isWayOut={isOtherList}
        title={t('leaveTitle', { ns: 'bulk' })}
        text={t('leaveText')}
      />
      {state.phase === 'choosing' ? (
        <div className="k-export">
          {state.isCancelled ? <Alert type="info" showIcon title={t('cancelled')} /> : null}
          {selected.length > 0 ? (
            <fieldset className="k-export-choice">
              <legend>{t('which')}</legend>
              <Radio.Group
                name="which"
                value={isOfSelected}
                options={[
                  {
                    value: true,
                    label: t('selected', { count: selected.length, rows: figures(selected.length) }),
                  },
                  {
                    value: false,
                    label:
                      total === undefined ? t('matchingUncounted') : t('matching', { rows: figures(total) }),
                  },
                ]}
                onChange={(event) => setOfSelected(event.target.value === true)}
              />
            </fieldset>
          ) : null}
          <p>{isOfSelected ? t('selectedText') : whole}</p>
          <fieldset className="k-export-choice">
            <legend>{t('format')}</legend>
            <Radio.Group
              name="format"
              value={chosen}
              options={[
                { value: 'xlsx', label: t('formats.xlsx'), disabled: isTooLong },
                { value: 'csv', label: t('formats.csv') },
              ]}
              onChange={(event) => setFormat(event.target.value === 'csv' ? 'csv' : 'xlsx')}
            />
          </fieldset>
          <p className="k-soft">
            {isTooLong ? t('tooMany', { max: figures(MAX_ROWS - 1) }) : t(`hints.${chosen}`)}
          </p>
        </div>
      ) : null}
      {state.phase === 'running' ? <ExportProgressView {...state} /> : null}
      {state.phase === 'failed' ? (
        <div className="k-export">
          <ExportProgressView {...state} />
          <Alert
            type="error"
            showIcon
            title={t('failed', { rows: figures(state.done) })}
            description={
              state.error instanceof RangeError
                ? t('tooMany', { max: figures(MAX_ROWS - 1) })
                : `${errorText(state.error)} ${t('kept')}`
            }
          />
        </div>
      ) : null}
      {state.phase === 'done' ? (
        <div className="k-export" role="status">
          <Alert
            type="success"
            showIcon
            title={t('done', { count: state.rows, rows: figures(state.rows) })}
            description={<span className="k-export-file">{state.file}</span>}
          />
        </div>
      ) : null}
    </Modal>
  )
}
