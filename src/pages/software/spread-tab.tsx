import { Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { useRpc } from '@/refine/use-rpc'
import type { TabProps } from '@/resource/engine-context'
import type { Definition } from '@/resource/language/definition.generated'
import { QueryState } from '@/resource/query-state'
import { matchingFilter } from '@/resource/request/filter/matching-filter'
import { whereFilter } from '@/resource/request/filter/where'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { TargetActions } from '@/runs/targets/target-actions'
import { TargetDevices } from '@/runs/targets/target-devices'
import { Panel } from '@/ui/panel'
import { ProgressBar } from '@/ui/progress-bar'
import css from './software.module.css'

interface Spread {
  devices: number
  versions: { version: string; devices: number }[]
  version_count: number
  without: number
}

/** How many devices have which version of a title, and which do not have it. */
export function SpreadTab({ record }: TabProps) {
  const { t } = useTranslation(['software', 'devices'])
  const spread = useRpc<Spread>({
    name: 'software_spread',
    args: { software_id: String(record.id) },
    resource: 'device_software',
  })
  const { data } = spread
  if (spread.error || !data) return <QueryState query={spread} rows={5} />
  const others = data.version_count - data.versions.length
  return (
    <div className="l-stack-16">
      <Panel title={t('spread.versions')} intro={t('spread.devices', { count: data.devices })}>
        <ul className={`l-list ${css.versions}`}>
          {data.versions.map(({ version, devices }) => (
            <li key={version}>
              <div className={css.version}>
                <span className="l-anywhere">{version || t('spread.unknown')}</span>
                <span className="l-nowrap">{t('spread.devices', { count: devices })}</span>
              </div>
              <ProgressBar done={devices} total={data.devices} label={version || t('spread.unknown')} />
            </li>
          ))}
        </ul>
        {others > 0 ? <p>{t('spread.more', { count: others })}</p> : null}
      </Panel>
      <Panel
        title={t('spread.without')}
        intro={data.without === 0 ? t('spread.none') : t('spread.devices', { count: data.without })}
      >
        {data.without === 0 ? null : (
          <DefinedScreen resource="devices">
            {(devices) => <DevicesWithout devices={devices} record={record} />}
          </DefinedScreen>
        )}
      </Panel>
    </div>
  )
}

/** The devices that lack a title, and what can be done with all of them, such as installing it. */
function DevicesWithout({ devices, record }: { devices: Definition; record: Row }) {
  const companyId = String(record.company_id)
  const lacks = whereFilter(devices, { software: { _none: [String(record.id)] } })
  const filter = matchingFilter(devices, lacks, companyId, {})
  return (
    <Flex vertical gap={12}>
      <TargetActions
        devices={devices}
        matching={{ filter, q: '' }}
        first={['install_app', 'run_procedure', 'run_command']}
      />
      <TargetDevices target={{ kind: 'filter', company_id: companyId, filter, q: '' }} pageSize={50} />
    </Flex>
  )
}
