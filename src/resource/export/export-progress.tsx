import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { ExportProgress } from '@/resource/export/export-job'
import { ProgressBar } from '@/ui/progress-bar'

/** Rows written, of those there are. */
export function ExportProgressView({ done, total, isWaiting }: ExportProgress) {
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
