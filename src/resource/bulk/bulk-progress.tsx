import { useTranslation } from 'react-i18next'
import { type BulkReport, doneCount } from '@/resource/bulk/bulk-run'
import { ProgressBar } from '@/ui/progress-bar'

/** The progress of a job, as a bar and as text for screen readers. */
export function BulkProgress({ report, label }: { report: BulkReport; label: string }) {
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
