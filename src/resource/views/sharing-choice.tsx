import { Radio } from 'antd'
import { useTranslation } from 'react-i18next'
import { isOutOfRole } from '@/access/policy'
import { useDenialText } from '@/access/use-denial-text'
import { useVerdict } from '@/access/use-verdict'
import type { Sharing } from '@/resource/views/use-view-writes'
import { COMPANY_ROLES } from '@/session/types'

interface SharingChoiceProps {
  value: Sharing
  companyId: string | null
  /** Only its owner takes a view back. */
  isMine: boolean
  onChange: (sharing: Sharing) => void
}

/** Who finds the view; nothing for a role that cannot share. */
export function SharingChoice({ value, companyId, isMine, onChange }: SharingChoiceProps) {
  const { t } = useTranslation('views')
  const denialText = useDenialText()
  const verdict = useVerdict('saved_views', 'share')
  if (isOutOfRole(verdict)) return null
  const reason = !verdict.allowed
    ? denialText(verdict.reason)
    : companyId === null
      ? t('chooseCompany')
      : undefined
  const key = value.scope === 'role' ? `role:${value.role ?? ''}` : value.scope
  const handleChange = (next: string) => {
    if (next === 'mine') onChange({ scope: 'mine', role: null, company_id: null })
    else if (next === 'company') onChange({ scope: 'company', role: null, company_id: companyId })
    else onChange({ scope: 'role', role: next.slice('role:'.length), company_id: companyId })
  }
  const isRefused = reason !== undefined
  return (
    <fieldset className="k-view-sharing">
      <legend>{t('for')}</legend>
      <Radio.Group
        vertical
        value={key}
        onChange={(event) => handleChange(String(event.target.value))}
        options={[
          { value: 'mine', label: t('mine'), disabled: !isMine },
          ...COMPANY_ROLES.map((role) => ({
            value: `role:${role}`,
            label: t('role', { role }),
            disabled: isRefused,
          })),
          { value: 'company', label: t('company'), disabled: isRefused },
        ]}
      />
      {reason ? <p className="k-view-reason">{reason}</p> : null}
    </fieldset>
  )
}
