import { useTranslation } from 'react-i18next'
import type { TabProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { readTarget, type ScheduleTarget } from '@/runs/targets/schedule-target'
import { type ServerTarget, useTargetPreview } from '@/runs/targets/target-data'
import { TargetSummary } from '@/runs/targets/target-summary'
import { splitPlatforms } from '@/runs/targets/targets'
import { EmptyState } from '@/ui/empty-state'
import { Panel } from '@/ui/panel'
import { useScheduledScript } from './use-scheduled-script'

function serverTarget(target: ScheduleTarget, company_id: string): ServerTarget {
  if (target.kind === 'all') return { kind: 'all', company_id }
  if (target.kind === 'groups') return { kind: 'groups', company_id, group_ids: target.group_ids }
  if (target.kind === 'devices')
    return { kind: 'filter', company_id, filter: { id: { _in: target.device_ids } }, q: '' }
  return { kind: 'filter', company_id, filter: target.filter, q: target.q ?? '' }
}

/** The devices that a scheduled task has now. */
export function TargetTab({ record }: TabProps) {
  const { t } = useTranslation(['schedules', 'procedures'])
  const target = readTarget(record.target)
  const preview = useTargetPreview(target ? serverTarget(target, String(record.company_id)) : null)
  const script = useScheduledScript(record.procedure_id, String(record.company_id))
  if (preview.error || !preview.data) return <QueryState query={preview} rows={3} />
  const company_id = String(record.company_id)
  const selection = splitPlatforms(preview.data.platforms, script && { ...script, company_id })
  const isFound = target?.kind === 'filter' || target?.kind === 'groups' || target?.kind === 'all'
  return (
    <Panel
      title={
        target?.kind === 'filter' && target.name ? t('target.view', { name: target.name }) : t('target.now')
      }
      {...(isFound ? { intro: t('target.whenDue') } : {})}
    >
      {selection.count === 0 && selection.excluded.length === 0 ? (
        <EmptyState title={t('target.none')} />
      ) : (
        <TargetSummary selection={selection} script={script} />
      )}
    </Panel>
  )
}
