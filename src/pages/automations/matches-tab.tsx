import { Segmented, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { useCache } from '@/refine/use-cache'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import type { TabProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { type ListColumns, PartList } from '@/resource/screens/part-list'
import { EmptyState } from '@/ui/empty-state'
import { useTabParams } from '@/ui/use-tab-params'
import { type LeftOutReason, leftOutCount, MATCH_TABLES, useMatches } from './match-data'

const COLUMNS: ListColumns = [
  { field: 'name', width: 160 },
  { field: 'status', with: ['maintenance_until'] },
  'groups',
  { field: 'os', with: ['os_version'] },
  'last_seen',
]
const REASONS: readonly LeftOutReason[] = ['offline', 'platform', 'script', 'running']
const KEPT = ['tab', 'show', 'reason']
/** Another choice of devices begins at the first page. */
const FIRST_PAGE = { page: '', after: '', before: '' }

/** Which devices an automation would run on now, and which it would leave out and why. */
export function MatchesTab({ record }: TabProps) {
  const { t } = useTranslation('automations')
  const cache = useCache()
  const { params, setParams } = useTabParams(['show', 'reason', 'page', 'after', 'before'])
  const automationId = String(record.id)
  const companyId = String(record.company_id)
  const query = useMatches({ automationId, companyId })
  // The list follows devices by itself, but not the rows that make a device match.
  useLiveRefresh(companyId, MATCH_TABLES, [{ ...query, refetch: () => cache.invalidate('devices') }])
  if (query.data === undefined) return <QueryState query={query} rows={6} />
  const { matches, left_out } = query.data
  const leftOut = leftOutCount(query.data)
  if (matches + leftOut === 0) return <EmptyState title={t('matches.empty')} text={t('matches.emptyText')} />
  const isLeftOut = params.show === 'left-out'
  const reasons = REASONS.filter((reason) => left_out[reason] !== undefined)
  const reason = REASONS.find((each) => each === params.reason) ?? reasons[0]
  return (
    <div>
      <div className="l-toolbar">
        <Segmented
          aria-label={t('matches.show')}
          value={isLeftOut ? 'left-out' : 'matching'}
          onChange={(value) =>
            setParams({ show: value === 'matching' ? '' : String(value), reason: '', ...FIRST_PAGE })
          }
          options={[
            { value: 'matching', label: t('matches.matching', { count: matches }) },
            { value: 'left-out', label: t('matches.leftOut', { count: leftOut }) },
          ]}
        />
        {isLeftOut && reason ? (
          <Select<LeftOutReason>
            aria-label={t('matches.reason')}
            popupMatchSelectWidth={false}
            value={reason}
            options={REASONS.filter((each) => each === reason || reasons.includes(each)).map((value) => ({
              value,
              label: `${t(`matches.reasons.${value}`)} (${left_out[value] ?? 0})`,
            }))}
            onChange={(value) => setParams({ reason: value, ...FIRST_PAGE })}
          />
        ) : (
          <span className="l-secondary" aria-live="polite">
            {t(isEvent(record.trigger) ? 'matches.onEvent' : 'matches.now', { count: matches })}
          </span>
        )}
      </div>
      {isLeftOut && !reason ? (
        <EmptyState title={t('matches.noneLeftOut')} />
      ) : (
        <PartList
          resource="devices"
          source={{
            name: 'search_automation_devices',
            args: { automation_id: automationId, reason: isLeftOut ? (reason ?? '') : '' },
          }}
          columns={COLUMNS}
          kept={KEPT}
          empty={<EmptyState title={t(isLeftOut ? 'matches.noneLeftOut' : 'matches.none')} />}
        />
      )}
    </div>
  )
}

const isEvent = (trigger: unknown) =>
  trigger === 'new_device' || trigger === 'alert' || trigger === 'enters_group'
