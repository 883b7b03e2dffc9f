import { Alert, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useRpc } from '@/refine/use-rpc'
import { Input } from '@/resource/fields/boolean/input'
import type { InputProps } from '@/resource/fields/kind-interface'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'

/** Whether scripts need approval, and who could approve them. */
export function ApprovalField(props: InputProps<'boolean'>) {
  return (
    <>
      <Input {...props} />
      {props.value === true ? <Approvers /> : null}
    </>
  )
}

function Approvers() {
  const { t } = useTranslation('policies')
  const language = useLanguage()
  const errorText = useErrorText()
  const form = Form.useFormInstance()
  const { companyId } = useCompanyScope()
  const company = Form.useWatch<string | undefined>('company_id', { form, preserve: true }) ?? companyId
  const { data: count, error } = useRpc<number>(
    { name: 'count_approvers', args: { company }, resource: 'users', companyId: company },
    { enabled: Boolean(company) },
  )
  if (error) return <div role="status">{errorText(error)}</div>
  if (count === undefined) return null
  const people = t('approvers.people', { count, people: formatNumber(count, language) })
  return (
    <div role="status" className="l-note">
      {count > 1 ? (
        people
      ) : (
        <Alert type="warning" showIcon title={count === 1 ? t('approvers.only') : people} />
      )}
    </div>
  )
}
