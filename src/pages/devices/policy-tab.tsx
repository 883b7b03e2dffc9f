import { Tag } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatConjunction, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useRpc } from '@/refine/use-rpc'
import type { TabProps } from '@/resource/engine-context'
import type { Definition } from '@/resource/language/definition.generated'
import { showPath } from '@/resource/language/naming'
import { useWords } from '@/resource/language/words'
import { QueryState } from '@/resource/query-state'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { HeldUpdates } from '@/runs/updates/held-updates'
import { EmptyState } from '@/ui/empty-state'
import { Panel } from '@/ui/panel'
import css from './devices.module.css'

interface DevicePolicy {
  id: string
  name: string
  kind: string
  applies: boolean
  first_name: string
  approve_severities: string[]
  approve_after_days: number | null
  window_weekdays: string[]
  window_from: string | null
  window_to: string | null
  timezone: string | null
  reboot: string | null
  reboot_weekdays: string[]
  reboot_from: string | null
  reboot_to: string | null
  ring: number | null
  promote_after_days: number | null
  promote_success_percent: number | null
  promote_min_devices: number | null
  check_in_seconds: number | null
  agent_updates: string | null
  agent_update_days: number | null
  denied: string[]
  needs_approval: boolean
  denies_values: boolean
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
  const policies = useRpc<DevicePolicy[]>({
    name: 'device_policies',
    args: { device_id: deviceId },
    resource: 'policies',
  })
  if (policies.error || !policies.data) return <QueryState query={policies} rows={4} />
  if (policies.data.length === 0) return <EmptyState title={t('policy.none')} text={t('policy.noneText')} />
  return (
    <Panel title={t('policy.title')} intro={t('policy.intro')}>
      <ul className="l-list l-stack-16">
        {policies.data.map((policy) => (
          <li key={policy.id} className={policy.applies ? undefined : 'l-soft'}>
            <div className="l-row">
              <Link to={showPath(definition, policy.id)}>{policy.name}</Link>
              <Tag>{words.value('kind', policy.kind)}</Tag>
              <span>
                {policy.applies ? t('policy.applies') : t('policy.overridden', { name: policy.first_name })}
              </span>
            </div>
            {policy.applies ? <Rules policy={policy} definition={definition} /> : null}
            {policy.applies && (policy.ring ?? 1) > 1 ? <HeldUpdates deviceId={deviceId} /> : null}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** Lists the rules of a policy, one per line. */
function Rules({ policy, definition }: { policy: DevicePolicy; definition: Definition }) {
  const { t } = useTranslation('devices')
  const words = useWords(definition)
  const language = useLanguage()
  const named = (field: string, values: readonly string[]) =>
    formatConjunction(
      values.map((value) => words.value(field, value)),
      language,
    )
  const hasWindow = policy.window_weekdays.length > 0
  const span = {
    days: named('window_weekdays', policy.window_weekdays),
    from: policy.window_from,
    to: policy.window_to,
    timezone: policy.timezone,
  }
  const ringLine = () => {
    if (policy.ring === null) return t('policy.noRing')
    if (policy.ring === 1) return t('policy.ringFirst')
    return t('policy.ring', {
      ring: policy.ring,
      before: policy.ring - 1,
      days: formatNumber(policy.promote_after_days ?? 0, language),
      percent: formatNumber((policy.promote_success_percent ?? 0) / 100, language, { style: 'percent' }),
      devices: formatNumber(policy.promote_min_devices ?? 1, language),
    })
  }
  const restartLines = () => {
    if (policy.reboot === 'in_window')
      return [
        t('policy.rebootWindow', {
          days: named('window_weekdays', policy.reboot_weekdays),
          from: policy.reboot_from,
          to: policy.reboot_to,
          timezone: policy.timezone,
        }),
      ]
    return hasWindow ? [t(policy.reboot === 'if_needed' ? 'policy.reboot' : 'policy.noReboot')] : []
  }
  const lines: Record<string, () => string[]> = {
    patch: () => [
      policy.approve_severities.length > 0
        ? t('policy.approve', {
            severities: named('approve_severities', policy.approve_severities),
            count: policy.approve_after_days ?? 0,
          })
        : t('policy.noApproval'),
      hasWindow ? t('policy.window', span) : t('policy.noWindow'),
      ringLine(),
      ...restartLines(),
    ],
    maintenance: () => [hasWindow ? t('policy.maintenanceWindow', span) : t('policy.noMaintenance')],
    agent: () => [
      policy.check_in_seconds
        ? t('policy.interval', { seconds: formatNumber(policy.check_in_seconds, language) })
        : t('policy.noInterval'),
      policy.agent_updates !== 'automatic'
        ? t('policy.noUpdates')
        : policy.agent_update_days
          ? t('policy.updates', { count: policy.agent_update_days })
          : t('policy.updates0'),
    ],
    permission: () => [
      policy.denied.length > 0
        ? t('policy.denies', { acts: named('denied', policy.denied) })
        : t('policy.allows'),
      ...(policy.needs_approval ? [t('policy.needsApproval')] : []),
      ...(policy.denies_values ? [t('policy.deniesValues')] : []),
    ],
  }
  return (
    <ul className={css.settings}>
      {lines[policy.kind]?.().map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}
