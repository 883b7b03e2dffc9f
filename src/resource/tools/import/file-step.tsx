import UploadOutlined from '@ant-design/icons/es/icons/UploadOutlined'
import { Alert, Button } from 'antd'
import { type DragEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { FileProblem } from '@/resource/tools/import/file-table'
import { MAX_BYTES, MAX_COLUMNS, MAX_ROWS } from '@/resource/tools/import/file-table'
import { ReadSettings } from '@/resource/tools/import/read-settings'
import type { ImportFile } from '@/resource/tools/import/use-import-file'

const MB = 1024 * 1024
const TAKEN = '.csv,.tsv,.txt,.xlsx,.xlsm,text/csv,text/tab-separated-values,text/plain'

interface FileStepProps {
  source: ImportFile
  onTemplate: () => void
}

/** Which file, and how it is read. */
export function FileStep({ source, onTemplate }: FileStepProps) {
  const { t } = useTranslation('import')
  const language = useLanguage()
  const figures = (count: number) => formatNumber(count, language)
  const { file, table, problem, isReading, choose } = source
  return (
    <div className="k-import">
      <p>{t('intro', { size: MAX_BYTES / MB, rows: figures(MAX_ROWS) })}</p>
      <FileChoice onFile={choose} />
      <p>
        <Button type="link" className="k-import-link" onClick={onTemplate}>
          {t('template')}
        </Button>
      </p>
      <div role="status">
        {file ? (
          <p className="k-import-name">
            {isReading ? t('reading', { name: file.name }) : t('chosen', { name: file.name })}
            {table && !problem && !isReading
              ? ` · ${t('rowsFound', { count: table.rows.length, rows: figures(table.rows.length), columns: table.titles.length })}`
              : ''}
          </p>
        ) : null}
        {problem ? (
          <Alert
            type="error"
            showIcon
            title={t('problem.title')}
            description={<Problem problem={problem} />}
            action={
              problem.key === 'tooMany' ? (
                <Button size="small" onClick={() => source.reread({ part: 1 })}>
                  {t('parts.offer')}
                </Button>
              ) : null
            }
          />
        ) : null}
      </div>
      {table ? <ReadSettings table={table} isOld={problem !== null} onChange={source.reread} /> : null}
    </div>
  )
}

function Problem({ problem }: { problem: FileProblem }) {
  const { t } = useTranslation('import')
  const language = useLanguage()
  const { key, count } = problem
  if (key === 'tooBig')
    return t('problem.tooBig', {
      size: formatNumber(count / MB, language, { maximumFractionDigits: 1, minimumFractionDigits: 1 }),
      max: MAX_BYTES / MB,
    })
  if (key === 'tooMany')
    return t('problem.tooMany', {
      rows: formatNumber(count, language),
      max: formatNumber(MAX_ROWS, language),
      files: formatNumber(Math.ceil(count / MAX_ROWS), language),
    })
  if (key === 'openQuote') return t('problem.openQuote', { line: formatNumber(count, language) })
  if (key === 'tooWide')
    return t('problem.tooWide', { columns: formatNumber(count, language), max: MAX_COLUMNS })
  return t(`problem.${key}`)
}

function FileChoice({ onFile }: { onFile: (file: File) => void }) {
  const { t } = useTranslation('import')
  const [isOver, setOver] = useState(false)
  const handleDrag = (event: DragEvent, over: boolean) => {
    event.preventDefault()
    setOver(over)
  }
  return (
    <label
      className="k-import-drop"
      data-over={isOver}
      onDragOver={(event) => handleDrag(event, true)}
      onDragLeave={(event) => handleDrag(event, false)}
      onDrop={(event) => {
        handleDrag(event, false)
        const [file] = event.dataTransfer.files
        if (file) onFile(file)
      }}
    >
      <UploadOutlined aria-hidden="true" />
      <span>{t('drop')}</span>
      <input
        type="file"
        className="k-visually-hidden"
        accept={TAKEN}
        onChange={({ target }) => {
          const file = target.files?.[0]
          if (file) onFile(file)
          // The same file, corrected meanwhile, can be chosen again.
          target.value = ''
        }}
      />
    </label>
  )
}
