import { Tag } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatConjunction } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useRpc } from '@/refine/use-rpc'
import type { Definition } from '@/resource/definition/definition.generated'
import { showPath } from '@/resource/definition/naming'
import { useWords } from '@/resource/definition/words'
import type { TabProps } from '@/resource/engine-context'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { useErrorText } from '@/resource/use-error-text'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { Panel } from '@/ui/panel'

interface DevicePolicy {
  id: string
  name: string
  kind: string
  applies: boolean
  first_name: string
  approve_severities: string[]
  approve_after_days: number | null
  install_weekdays: string[]
  install_from: string | null
  install_to: string | null
  timezone: string | null
  reboot: string | null
}

/** The policies of a device, which of them apply, and what these do. */
export function PolicyTab({ record }: TabProps) {
  return (
    <DefinedScreen resource="policies">
      {(definition) => <Policies definition={definition} deviceId={String(record.id)} />}
    </DefinedScreen>
  )
}

function Policies({ definition, deviceId }: { definition: Definition; deviceId: string }) {
  const { t } = useTranslation('devices')
  const words = useWords(definition)
  const errorText = useErrorText()
  const policies = useRpc<DevicePolicy[]>({
    name: 'device_policies',
    args: { device_id: deviceId },
    resource: 'policies',
  })
  if (policies.error)
    return <ErrorState text={errorText(policies.error)} onRetry={() => void policies.refetch()} />
  if (!policies.data) return <LoadingState rows={4} />
  if (policies.data.length === 0) return <EmptyState title={t('policy.none')} text={t('policy.noneText')} />
  return (
    <Panel title={t('policy.title')} intro={t('policy.intro')}>
      <ul style={{ listStyle: 'none', margin: 0, padding: 0, display: 'grid', gap: 16 }}>
        {policies.data.map((policy) => (
          <li key={policy.id} style={policy.applies ? {} : { color: 'var(--k-text-soft)' }}>
            <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8, alignItems: 'center' }}>
              <Link to={showPath(definition, policy.id)}>{policy.name}</Link>
              <Tag>{words.value('kind', policy.kind)}</Tag>
              <span>
                {policy.applies ? t('policy.applies') : t('policy.overridden', { name: policy.first_name })}
              </span>
            </div>
            {policy.applies && policy.kind === 'patch' ? (
              <PatchRules policy={policy} definition={definition} />
            ) : null}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function PatchRules({ policy, definition }: { policy: DevicePolicy; definition: Definition }) {
  const { t } = useTranslation('devices')
  const words = useWords(definition)
  const language = useLanguage()
  const named = (field: string, values: readonly string[]) =>
    formatConjunction(
      values.map((value) => words.value(field, value)),
      language,
    )
  return (
    <ul style={{ margin: '4px 0 0', paddingInlineStart: 18 }}>
      <li>
        {policy.approve_severities.length > 0
          ? t('policy.approve', {
              severities: named('approve_severities', policy.approve_severities),
              count: policy.approve_after_days ?? 0,
            })
          : t('policy.noApproval')}
      </li>
      <li>
        {policy.install_weekdays.length > 0
          ? t('policy.window', {
              days: named('install_weekdays', policy.install_weekdays),
              from: policy.install_from,
              to: policy.install_to,
              timezone: policy.timezone,
            })
          : t('policy.noWindow')}
      </li>
      {policy.install_weekdays.length > 0 ? (
        <li>{t(policy.reboot === 'if_needed' ? 'policy.reboot' : 'policy.noReboot')}</li>
      ) : null}
    </ul>
  )
}
