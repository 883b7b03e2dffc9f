import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useRpc } from '@/refine/use-rpc'
import type { InputProps } from '@/resource/fields/kind-interface'
import { Input } from '@/resource/fields/relation/input'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { useDebounced } from '@/ui/use-debounced'

interface Impact {
  devices: number
  /** Policies that come first for some of the devices. */
  lost: { id: string; name: string; devices: number }[]
  /** For a patch policy of ring 2 or 3: the devices of the ring before. */
  before: number | null
  /** For a patch policy: devices that need a restart now. */
  restarts: number | null
}

const PAUSE_MS = 300

/** The groups of a policy, and on how many devices it would be with the values of the form. */
export function PolicyGroupsField(props: InputProps<'many-to-many'>) {
  return (
    <>
      <Input {...props} />
      <PolicyImpact policyId={props.record.id} groups={props.value} />
    </>
  )
}

export function PolicyImpact({ policyId, groups }: { policyId: unknown; groups: unknown }) {
  const { t } = useTranslation('policies')
  const language = useLanguage()
  const errorText = useErrorText()
  const form = Form.useFormInstance()
  const { companyId } = useCompanyScope()
  const kind = Form.useWatch<string | undefined>('kind', form)
  const position = Form.useWatch<number | null | undefined>('position', form)
  const ring = Form.useWatch<number | null | undefined>('ring', form)
  const needed = Form.useWatch<number | null | undefined>('promote_min_devices', form)
  const reboot = Form.useWatch<string | undefined>('reboot', form)
  const company = Form.useWatch<string | undefined>('company_id', { form, preserve: true }) ?? companyId
  // Compared as text: the values of a form are new objects at each render.
  const asked = useDebounced(
    company && kind
      ? JSON.stringify({
          company,
          kind,
          at_position: position ?? 0,
          group_ids: Array.isArray(groups) ? groups : [],
          policy_id: policyId ?? null,
          ring: ring ?? null,
        })
      : '',
    PAUSE_MS,
  )
  const { data, error } = useRpc<Impact>(
    {
      name: 'policy_impact',
      args: asked ? (JSON.parse(asked) as Record<string, unknown>) : {},
      resource: 'policies',
    },
    { enabled: asked !== '', placeholderData: (previous) => previous },
  )
  if (error) return <div role="status">{errorText(error)}</div>
  if (!data) return null
  const lost = data.lost.reduce((sum, { devices }) => sum + devices, 0)
  const number = (count: number) => formatNumber(count, language)
  return (
    <div role="status" className="l-note">
      <div>{t('impact.applies', { count: data.devices - lost, devices: number(data.devices - lost) })}</div>
      {data.lost.map(({ id, name, devices }) => (
        <div key={id}>{t('impact.lost', { count: devices, devices: number(devices), name })}</div>
      ))}
      {data.before !== null && ring ? (
        <div>
          {t('impact.before', { count: data.before, ring: ring - 1, devices: number(data.before) })}{' '}
          {data.before > 0 && data.before < (needed ?? 0)
            ? t('impact.few', { needed: number(needed ?? 0) })
            : null}
        </div>
      ) : null}
      {data.restarts && reboot !== 'never' ? (
        <div>{t('impact.restarts', { count: data.restarts, devices: number(data.restarts) })}</div>
      ) : null}
    </div>
  )
}
