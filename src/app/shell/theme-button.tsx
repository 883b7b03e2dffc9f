import MoonOutlined from '@ant-design/icons/es/icons/MoonOutlined'
import SunOutlined from '@ant-design/icons/es/icons/SunOutlined'
import { useTranslation } from 'react-i18next'
import { useTheme } from '@/ui/theme-provider'
import { toggledTheme } from '@/ui/theme-store'
import { Tip } from '@/ui/tip'

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
