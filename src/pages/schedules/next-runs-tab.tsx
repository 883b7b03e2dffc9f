import { useTranslation } from 'react-i18next'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useRpc } from '@/refine/use-rpc'
import type { TabProps } from '@/resource/engine-context'
import { useErrorText } from '@/resource/use-error-text'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { Panel } from '@/ui/panel'
import { RelativeTime } from '@/ui/relative-time'

/** Where a day begins first: the zone in which the server computes the times that each device has by its own clock. */
const FIRST_ZONE = 'Etc/GMT-14'

/** The next five times of a schedule, by the reader's clock and by the schedule's. */
export function NextRunsTab({ record, resource }: TabProps) {
  const { t } = useTranslation('schedules')
  const language = useLanguage()
  const errorText = useErrorText()
  const runs = useRpc<string[]>({
    name: 'next_runs',
    args: { resource, record_id: record.id },
    resource,
    companyId: String(record.company_id),
  })
  if (runs.error) return <ErrorState text={errorText(runs.error)} onRetry={() => void runs.refetch()} />
  if (!runs.data) return <LoadingState rows={5} />
  if (runs.data.length === 0) return <EmptyState title={t('next.paused')} text={t('next.pausedText')} />
  const timezone = String(record.timezone ?? '')
  const isElsewhere = timezone !== '' && timezone !== Intl.DateTimeFormat().resolvedOptions().timeZone
  const inZone = (at: string, timeZone: string) =>
    new Intl.DateTimeFormat(language === 'tr' ? 'tr-TR' : 'en-GB', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone,
    }).format(new Date(at))
  if (record.device_time === true)
    return (
      <Panel title={t('next.title')}>
        <ol style={{ display: 'grid', gap: 8, margin: 0, paddingInlineStart: 20 }}>
          {runs.data.map((at) => (
            <li key={at}>{t('next.deviceTime', { time: inZone(at, FIRST_ZONE) })}</li>
          ))}
        </ol>
      </Panel>
    )
  return (
    <Panel title={t('next.title')}>
      <ol style={{ display: 'grid', gap: 8, margin: 0, paddingInlineStart: 20 }}>
        {runs.data.map((at) => (
          <li key={at}>
            {formatDateTime(at, language)}{' '}
            <span style={{ color: 'var(--k-text-soft)' }}>
              (<RelativeTime value={at} />)
            </span>
            {isElsewhere ? (
              <div style={{ color: 'var(--k-text-soft)' }}>
                {t('next.zone', { timezone, time: inZone(at, timezone) })}
              </div>
            ) : null}
          </li>
        ))}
      </ol>
    </Panel>
  )
}
