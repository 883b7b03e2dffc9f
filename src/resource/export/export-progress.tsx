import { Alert, Progress, theme } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { ExportProgress } from '@/resource/export/export-job'

/** Rows written, of those there are. */
export function ExportProgressView({ done, total, isWaiting }: ExportProgress) {
  const { t } = useTranslation('export')
  const { token } = theme.useToken()
  const language = useLanguage()
  const values = { rows: formatNumber(done, language), total: formatNumber(total ?? 0, language) }
  // Rows that came since they were counted are in the file, and no bar passes its end.
  const percent = total ? Math.min(100, Math.floor((done / total) * 100)) : 0
  return (
    <div className="k-export">
      <Progress
        percent={percent}
        status={isWaiting ? 'normal' : 'active'}
        strokeColor={token.colorPrimary}
        aria-label={t('progress')}
      />
      <p className="k-figures">{total === null ? t('rows', values) : t('rowsOf', values)}</p>
      {isWaiting ? <Alert type="warning" showIcon title={t('waiting')} role="status" /> : null}
    </div>
  )
}
