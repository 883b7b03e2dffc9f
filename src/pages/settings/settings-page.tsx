import { Radio } from 'antd'
import { useTranslation } from 'react-i18next'
import { setLanguage } from '@/i18n'
import { asLanguage, LANGUAGES } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import { NameForm } from '@/pages/settings/name-form'
import { PasswordForm } from '@/pages/settings/password-form'
import { useIdentity } from '@/refine/auth-provider'
import { Panel } from '@/ui/panel'
import { useTheme } from '@/ui/theme-provider'
import { asThemeChoice, THEME_CHOICES } from '@/ui/theme-store'
import '@/pages/settings/settings.css'

export function SettingsPage() {
  const { t } = useTranslation(['settings', 'common'])
  const user = useIdentity()
  const language = useLanguage()
  const { choice, setChoice } = useTheme()
  if (!user) return null
  return (
    <div className="settings">
      <Panel title={t('profile.title')} intro={user.email}>
        <NameForm key={user.name} userId={user.id} name={user.name} />
      </Panel>
      <Panel title={t('password.title')} intro={t('password.intro')}>
        <PasswordForm />
      </Panel>
      <Panel title={t('look.title')} intro={t('look.intro')}>
        <div className="settings-form">
          <fieldset className="settings-choice">
            <legend>{t('look.language')}</legend>
            <Radio.Group
              optionType="button"
              name="language"
              value={language}
              options={LANGUAGES.map((each) => ({ value: each, label: t(`common:languages.${each}`) }))}
              onChange={(event) => void setLanguage(asLanguage(String(event.target.value)))}
            />
          </fieldset>
          <fieldset className="settings-choice">
            <legend>{t('look.theme')}</legend>
            <Radio.Group
              optionType="button"
              name="theme"
              value={choice}
              options={THEME_CHOICES.map((each) => ({ value: each, label: t(`look.themes.${each}`) }))}
              onChange={(event) => setChoice(asThemeChoice(String(event.target.value)))}
            />
          </fieldset>
        </div>
      </Panel>
    </div>
  )
}
