import { Alert, Skeleton, Typography } from 'antd'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { QueryState } from '@/resource/query-state'
import { useRunOutput } from '@/runs/progress/job-data'
import { isOpen } from '@/runs/progress/run-status'
import { lazyPart } from '@/ui/load-chunk'
import { cutOf } from './output-text'
import { isRunErrorCode } from './run-error'
import css from './run-output.module.css'

const OutputView = lazyPart(() => import('./output-view').then((module) => ({ default: module.OutputView })))

type Props = {
  run: { id: string; company_id: string; status: string; error?: string | null }
  /** Names the file that is downloaded. */
  deviceName: string
  /** Height of the text; 'fill' takes what its container leaves. */
  height: number | 'fill'
}

export function RunOutputView({ run, deviceName, height }: Props) {
  const { t } = useTranslation('jobs')
  const language = useLanguage()
  const query = useRunOutput(run)
  const loading = <Skeleton active paragraph={{ rows: 3 }} title={false} />
  if (query.isPending || query.isError) return <QueryState query={query} loading={loading} />
  const { output, output_truncated: isTruncated, error, started_at: startedAt, device, job } = query.data.data
  const cut = output && isTruncated ? cutOf(output) : null
  const emptyText = () => {
    if (!isOpen(run.status)) return t(startedAt === null ? 'output.neverRan' : 'output.none')
    if (run.status !== 'queued' || device?.status !== 'offline') return t('output.waiting')
    return job?.expires_at
      ? t('output.offlineUntil', { until: formatDateTime(job.expires_at, language) })
      : t('output.offline')
  }
  return (
    <div className={css.view} data-fill={height === 'fill' || undefined}>
      {error ? (
        <Alert
          type={error === 'cancelled' ? 'info' : 'error'}
          showIcon
          title={isRunErrorCode(error) ? t(`errors.${error}`) : error}
        />
      ) : null}
      {isOpen(run.status) && run.status !== 'queued' && device?.status === 'offline' ? (
        <Alert
          type="warning"
          showIcon
          title={t('output.lastWord', {
            time: device.offline_since ? formatDateTime(device.offline_since, language) : '–',
          })}
          description={t('output.lastWordText')}
        />
      ) : null}
      {isTruncated ? (
        <Typography.Text type="secondary">
          {cut
            ? t('output.cut', {
                count: cut.lines,
                lines: formatNumber(cut.lines, language),
                bytes: formatNumber(cut.bytes, language),
              })
            : t('output.truncated')}
        </Typography.Text>
      ) : null}
      {output ? (
        <Suspense fallback={loading}>
          <OutputView
            output={output}
            fileName={fileNameOf(deviceName, run.id)}
            height={height}
            isGrowing={isOpen(run.status)}
          />
        </Suspense>
      ) : (
        <Typography.Text type="secondary">{emptyText()}</Typography.Text>
      )}
    </div>
  )
}

const fileNameOf = (deviceName: string, runId: string): string =>
  `${deviceName.replace(/[^\p{L}\p{N}._-]+/gu, '-')}-${runId.slice(0, 8)}.txt`
