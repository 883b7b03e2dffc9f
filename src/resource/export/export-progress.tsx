import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { ExportProgress } from '@/resource/export/export-job'

/** Rows written, of those there are. */
export function ExportProgressView({ done, total, isWaiting }: ExportProgress) {
  const { t } = useTranslation('export')
  const language = useLanguage()
  const values = { rows: formatNumber(done, language), total: formatNumber(total ?? 0, language) }
  return (
    <div className="k-export">
      {/* The browser's own: antd's shimmers without end, and each of its frames stayed in memory till the page was cleaned. */}
      <progress
        className="k-export-bar"
        aria-label={t('progress')}
        max={Math.max(1, done, total ?? 0)}
        value={total === null ? 0 : done}
      />
      <p className="k-figures">{total === null ? t('rows', values) : t('rowsOf', values)}</p>
      {isWaiting ? <Alert type="warning" showIcon title={t('waiting')} role="status" /> : null}
    </div>
  )
}
