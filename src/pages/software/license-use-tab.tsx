import { useTranslation } from 'react-i18next'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useRpc } from '@/refine/use-rpc'
import type { TabProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { type ListColumns, PartList } from '@/resource/screens/part-list'
import { EmptyState } from '@/ui/empty-state'
import { Panel } from '@/ui/panel'

const COLUMNS: ListColumns = [
  { field: 'name', width: 160 },
  'logged_in_user',
  'status',
  { field: 'os', with: ['os_version'] },
  'last_seen',
]

interface LicenseUse {
  /** Seats taken: devices, or signed-in users. */
  total: number
  /** Seats whose devices were all offline for 30 days. */
  idle: number
}

/** The devices that take the seats of a license, those that were not seen for longest first. */
export function LicenseUseTab({ record }: TabProps) {
  const { t } = useTranslation('software')
  const license_id = String(record.id)
  const companyId = String(record.company_id)
  const use = useRpc<LicenseUse>({
    name: 'license_use',
    args: { license_id },
    resource: 'device_software',
    companyId,
  })
  useLiveRefresh(companyId, ['software_licenses', 'devices'], [use])
  const { data } = use
  if (!data) return <QueryState query={use} rows={6} />
  if (!record.match_rule) return <EmptyState title={t('use.noRule')} text={t('use.noRuleText')} />
  return (
    <Panel
      title={t(record.type === 'user' ? 'use.users' : 'use.devices', { count: data.total })}
      intro={data.idle > 0 ? t('use.idle', { count: data.idle }) : data.total > 0 ? t('use.noneIdle') : null}
    >
      <PartList
        resource="devices"
        source={{ name: 'search_license_devices', args: { license_id } }}
        columns={COLUMNS}
        sort="last_seen"
        empty={<EmptyState title={t('use.empty')} text={t('use.emptyText')} />}
      />
    </Panel>
  )
}
