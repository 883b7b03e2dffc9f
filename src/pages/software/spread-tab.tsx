import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useRpc } from '@/refine/use-rpc'
import { showPath } from '@/resource/definition/naming'
import { findDefinition } from '@/resource/definition/registry'
import type { TabProps } from '@/resource/engine-context'
import { useErrorText } from '@/resource/use-error-text'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { Panel } from '@/ui/panel'
import { ProgressBar } from '@/ui/progress-bar'

interface Spread {
  devices: number
  versions: { version: string; devices: number }[]
  version_count: number
  without: number
  without_devices: { id: string; name: string; status: string }[]
}

/** How many devices have which version of a title, and which do not have it. */
export function SpreadTab({ record }: TabProps) {
  const { t } = useTranslation(['software', 'devices'])
  const language = useLanguage()
  const errorText = useErrorText()
  const spread = useRpc<Spread>({
    name: 'software_spread',
    args: { software_id: String(record.id) },
    resource: 'device_software',
  })
  const device = findDefinition('devices')
  const { data } = spread
  if (spread.error) return <ErrorState text={errorText(spread.error)} onRetry={() => void spread.refetch()} />
  if (!data) return <LoadingState rows={5} />
  const others = data.version_count - data.versions.length
  return (
    <div style={{ display: 'grid', gap: 16 }}>
      <Panel title={t('spread.versions')} intro={t('spread.devices', { count: data.devices })}>
        <ul style={{ listStyle: 'none', margin: 0, padding: 0, display: 'grid', gap: 10 }}>
          {data.versions.map(({ version, devices }) => (
            <li key={version}>
              <div style={{ display: 'flex', justifyContent: 'space-between', gap: 12 }}>
                <span style={{ overflowWrap: 'anywhere' }}>{version || t('spread.unknown')}</span>
                <span style={{ whiteSpace: 'nowrap' }}>{t('spread.devices', { count: devices })}</span>
              </div>
              <ProgressBar done={devices} total={data.devices} label={version || t('spread.unknown')} />
            </li>
          ))}
        </ul>
        {others > 0 ? <p>{t('spread.more', { count: others })}</p> : null}
      </Panel>
      <Panel
        title={t('spread.without')}
        intro={
          data.without === 0
            ? t('spread.none')
            : data.without > data.without_devices.length
              ? t('spread.shown', {
                  shown: formatNumber(data.without_devices.length, language),
                  count: data.without,
                })
              : t('spread.devices', { count: data.without })
        }
      >
        <ul style={{ margin: 0, paddingInlineStart: 18, columns: '220px' }}>
          {data.without_devices.map(({ id, name }) => (
            <li key={id} style={{ overflowWrap: 'anywhere' }}>
              {device ? <Link to={showPath(device, id)}>{name}</Link> : name}
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  )
}
