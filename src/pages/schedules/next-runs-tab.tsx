import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { useRpc } from '@/refine/use-rpc'
import type { TabProps } from '@/resource/engine-context'
import { useValueWord } from '@/resource/language/words'
import { QueryState } from '@/resource/query-state'
import { EmptyState } from '@/ui/empty-state'
import { Panel } from '@/ui/panel'
import { type RunTime, RunTimes } from './run-times'

type Never = 'disabled' | 'missed' | 'trigger' | 'incomplete' | 'over'

/** Why there is no next time. */
export function whyNever(record: Row): Never {
  if (record.enabled === false) return 'disabled'
  if (record.state === 'missed') return 'missed'
  if (record.trigger !== undefined && record.trigger !== 'schedule') return 'trigger'
  return typeof record.problem === 'string' ? 'incomplete' : 'over'
}

/** The next five times of a schedule. */
export function NextRunsTab({ record, resource }: TabProps) {
  const { t } = useTranslation('schedules')
  const triggerWord = useValueWord('automations', 'trigger')
  const problemWord = useValueWord('automations', 'problem')
  const runs = useRpc<RunTime[]>({
    name: 'next_runs',
    args: { resource, record_id: record.id },
    resource,
    companyId: String(record.company_id),
  })
  if (runs.error || !runs.data) return <QueryState query={runs} rows={5} />
  if (runs.data.length === 0) {
    const reason = whyNever(record)
    const values = {
      trigger: triggerWord(String(record.trigger)),
      problem: problemWord(String(record.problem)),
    }
    return <EmptyState title={t(`next.${reason}`)} text={t(`next.${reason}Text`, values)} />
  }
  return (
    <Panel title={t('next.title')}>
      <RunTimes times={runs.data} timezone={String(record.timezone ?? '')} />
    </Panel>
  )
}
