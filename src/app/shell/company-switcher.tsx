import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { useCompanyScope } from '@/session/use-company-scope'

/** Not a valid company id, so that "all" cannot collide with one. */
const ALL = ''

/** The company of every list, figure and form. */
export function CompanySwitcher() {
  const { t, i18n } = useTranslation('shell')
  const { companyId, setCompanyId, companies } = useCompanyScope()
  return (
    <Select
      className="company-switcher"
      aria-label={t('company.label')}
      showSearch={{
        filterOption: (input, option) =>
          (option?.label ?? '')
            .toLocaleLowerCase(i18n.language)
            .includes(input.trim().toLocaleLowerCase(i18n.language)),
      }}
      popupMatchSelectWidth={280}
      notFoundContent={t('company.none')}
      value={companyId ?? ALL}
      options={[
        { value: ALL, label: t('company.all') },
        ...companies.map((company) => ({ value: company.id, label: company.name })),
      ]}
      onChange={(value) => setCompanyId(value === ALL ? null : value)}
    />
  )
}
