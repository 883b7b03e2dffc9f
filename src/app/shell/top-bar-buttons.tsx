import BellOutlined from '@ant-design/icons/es/icons/BellOutlined'
import GlobalOutlined from '@ant-design/icons/es/icons/GlobalOutlined'
import MoonOutlined from '@ant-design/icons/es/icons/MoonOutlined'
import SunOutlined from '@ant-design/icons/es/icons/SunOutlined'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { usePageWords } from '@/app/page-words'
import { setLanguage } from '@/i18n'
import { asLanguage, LANGUAGES } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import { useUnreadCount } from '@/pages/notifications/notification-data'
import { MenuButton } from '@/ui/menu-button'
import { useTheme } from '@/ui/theme-provider'
import { toggledTheme } from '@/ui/theme-store'
import { Tip } from '@/ui/tip'

const NOTIFICATIONS = '/notifications'
const MAX_SHOWN = 99

export function NotificationBell({ userId }: { userId: string }) {
  const { t } = useTranslation('shell')
  const { data: count = 0 } = useUnreadCount(userId)
  const name = usePageWords().labelAt(NOTIFICATIONS)
  const label = count > 0 ? t('unread', { name, count }) : name
  return (
    <Tip title={label}>
      <Link className="top-button" to={NOTIFICATIONS} aria-label={label}>
        <BellOutlined aria-hidden="true" />
        {count > 0 ? (
          <span className="bell-badge" aria-hidden="true">
            {count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}
          </span>
        ) : null}
      </Link>
    </Tip>
  )
}

export function LanguageMenu() {
  const { t } = useTranslation(['shell', 'common'])
  const current = useLanguage()
  return (
    <MenuButton
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
    </MenuButton>
  )
}

export function ThemeButton() {
  const { t } = useTranslation('shell')
  const { mode, setChoice } = useTheme()
  const label = mode === 'dark' ? t('theme.toLight') : t('theme.toDark')
  return (
    <Tip title={label}>
      <button
        type="button"
        className="top-button"
        aria-label={label}
        onClick={() => setChoice(toggledTheme(mode))}
      >
        {mode === 'dark' ? <SunOutlined aria-hidden="true" /> : <MoonOutlined aria-hidden="true" />}
      </button>
    </Tip>
  )
}
