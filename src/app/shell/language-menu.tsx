import GlobalOutlined from '@ant-design/icons/es/icons/GlobalOutlined'
import { Dropdown } from 'antd'
import { useTranslation } from 'react-i18next'
import { setLanguage } from '@/i18n'
import { asLanguage, LANGUAGES } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'

export function LanguageMenu() {
  const { t } = useTranslation(['shell', 'common'])
  const current = useLanguage()
  return (
    <Dropdown
      trigger={['click']}
      placement="bottomRight"
      menu={{
        selectable: true,
        selectedKeys: [current],
        items: LANGUAGES.map((language) => ({
          key: language,
          label: <span lang={language}>{t(`common:languages.${language}`)}</span>,
        })),
        onClick: ({ key }) => void setLanguage(asLanguage(key)),
      }}
    >
      <button type="button" className="top-button" aria-label={t('language')} aria-haspopup="menu">
        <GlobalOutlined aria-hidden="true" />
      </button>
    </Dropdown>
  )
}
