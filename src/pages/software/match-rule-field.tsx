import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRpc } from '@/refine/use-rpc'
import type { InputProps } from '@/resource/fields/kind-interface'
import { Input } from '@/resource/fields/text/input'
import { useCompanyScope } from '@/session/use-company-scope'
import { useDebounced } from '@/ui/use-debounced'
import css from './software.module.css'

interface LicensePreview {
  count: number
  titles: number
  /** The first five. */
  names: string[]
}

const PAUSE_MS = 300

/** The words of a license's rule, and what they count in the inventory. */
export function MatchRuleField(props: InputProps<'text'>) {
  return (
    <>
      <Input {...props} />
      <Preview rule={typeof props.value === 'string' ? props.value : ''} owner={props.record.company_id} />
    </>
  )
}

function Preview({ rule, owner }: { rule: string; owner: unknown }) {
  const { t } = useTranslation('software')
  const { companyId } = useCompanyScope()
  const type = Form.useWatch<string | undefined>('type', Form.useFormInstance()) ?? 'device'
  const words = useDebounced(rule.trim(), PAUSE_MS)
  const company = typeof owner === 'string' ? owner : companyId
  const { data, isError } = useRpc<LicensePreview>(
    {
      name: 'license_preview',
      args: { match_rule: words, license_type: type, company },
      resource: 'software_licenses',
    },
    { enabled: words !== '' && company !== null, placeholderData: (previous) => previous },
  )
  if (words === '' || company === null || isError) return null
  const text = !data
    ? t('preview.pending')
    : data.titles === 0
      ? t('preview.none')
      : t('preview.titles', {
          text: t(type === 'user' ? 'preview.users' : 'preview.devices', { count: data.count }),
          names:
            data.titles > data.names.length
              ? t('preview.more', { names: data.names.join(', ') })
              : data.names.join(', '),
        })
  return (
    <div role="status" className={`l-soft ${css.match}`}>
      {text}
    </div>
  )
}
