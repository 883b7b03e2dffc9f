import { Alert, Button, Modal, Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { LeaveWarning } from '@/resource/bulk/leave-warning'
import type { ExportFormat } from '@/resource/export/export-file'
import { ExportProgressView } from '@/resource/export/export-progress'
import { type ExportedList, useExport } from '@/resource/export/use-export'
import { MOST_ROWS } from '@/resource/export/xlsx'
import { useErrorText } from '@/resource/use-error-text'
import { useWords } from '@/resource/words'
import '@/resource/export/export.css'

interface ExportDialogProps extends ExportedList {
  total: number | undefined
  onClose: () => void
}

/** Which file, how far it is, and what came of it. Only closing or cancelling ends it. */
export function ExportDialog({ total, onClose, ...list }: ExportDialogProps) {
  const { t } = useTranslation('export')
  const language = useLanguage()
  const errorText = useErrorText()
  const words = useWords(list.definition)
  const { state, start, retry, cancel } = useExport(list)
  const [format, setFormat] = useState<ExportFormat>('xlsx')
  const isTooLong = total !== undefined && total >= MOST_ROWS
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
    choosing: { label: t('start'), press: () => void start(chosen) },
    running: { label: t('start'), press: () => undefined },
    failed: { label: t('retry'), press: retry },
    done: { label: t('close'), press: onClose },
  }[state.phase]
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
      mask={{ closable: false }}
      onCancel={onClose}
    >
      <LeaveWarning isRunning={isRunning} text={t('leaveText')} />
      {state.phase === 'choosing' ? (
        <div className="k-export">
          {state.isCancelled ? <Alert type="info" showIcon title={t('cancelled')} /> : null}
          <p>{total === undefined ? t('whatAll') : t('what', { count: total, rows: figures(total) })}</p>
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
            {isTooLong ? t('tooMany', { most: figures(MOST_ROWS - 1) }) : t(`hints.${chosen}`)}
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
                ? t('tooMany', { most: figures(MOST_ROWS - 1) })
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
