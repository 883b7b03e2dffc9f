import { useTranslation } from 'react-i18next'
import { useRpc } from '@/refine/use-rpc'
import type { TabProps } from '@/resource/engine-context'
import { useErrorText } from '@/resource/use-error-text'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { Panel } from '@/ui/panel'
import { type RunTime, RunTimes } from './run-times'

/** The next five times of a schedule. */
export function NextRunsTab({ record, resource }: TabProps) {
  const { t } = useTranslation('schedules')
  const errorText = useErrorText()
  const runs = useRpc<RunTime[]>({
    name: 'next_runs',
    args: { resource, record_id: record.id },
    resource,
    companyId: String(record.company_id),
  })
  if (runs.error) return <ErrorState text={errorText(runs.error)} onRetry={() => void runs.refetch()} />
  if (!runs.data) return <LoadingState rows={5} />
  if (runs.data.length === 0) return <EmptyState title={t('next.paused')} text={t('next.pausedText')} />
  return (
    <Panel title={t('next.title')}>
      <RunTimes times={runs.data} timezone={String(record.timezone ?? '')} />
    </Panel>
  )
}
