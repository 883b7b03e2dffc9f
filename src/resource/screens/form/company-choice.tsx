import { Form, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { useCompanyScope } from '@/session/use-company-scope'

/** With all companies in view, a new record must say whose it is. */
export function CompanyChoice() {
  const { t } = useTranslation('engine')
  const { companies } = useCompanyScope()
  return (
    <Form.Item
      name="company_id"
      label={t('form.company')}
      extra={t('form.chooseCompany')}
      rules={[{ required: true, message: t('check.required', { field: t('form.company') }) }]}
    >
      <Select
        aria-required
        showSearch={{ optionFilterProp: 'label' }}
        options={companies.map(({ id, name }) => ({ value: id, label: name }))}
      />
    </Form.Item>
  )
}
