import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { setLanguage } from '@/i18n'
import { LANGUAGES } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import { PRODUCT_NAME } from '@/ui/brand'
import { Icon } from '@/ui/icons'
import { PlainButton } from '@/ui/plain-button'
import { useTheme } from '@/ui/theme-provider'
import { toggledTheme } from '@/ui/theme-store'
import '@/pages/auth/auth.css'

interface AuthLayoutProps {
  title: string
  intro?: ReactNode
  children?: ReactNode
}

/** The frame of the pages before sign-in. */
export function AuthLayout({ title, intro, children }: AuthLayoutProps) {
  const { t } = useTranslation('auth')
  const { mode, setChoice } = useTheme()
  return (
    <div className="auth">
      <header className="auth-bar">
        <LanguageSwitch />
        <PlainButton
          kind="text"
          isIcon
          aria-label={mode === 'dark' ? t('theme.toLight') : t('theme.toDark')}
          onClick={() => setChoice(toggledTheme(mode))}
        >
          <Icon name={mode === 'dark' ? 'sun' : 'moon'} />
        </PlainButton>
      </header>
      <main className="auth-main">
        <div className="auth-column">
          <div className="auth-brand">
            <img src="/icon.svg" alt="" width={48} height={48} />
            <span className="auth-brand-name">{PRODUCT_NAME}</span>
            <span className="auth-brand-tagline">{t('tagline')}</span>
          </div>
          <section className="auth-card">
            <h1>{title}</h1>
            {intro ? <p className="auth-intro">{intro}</p> : null}
            {children}
          </section>
        </div>
      </main>
    </div>
  )
}

function LanguageSwitch() {
  const { t } = useTranslation(['common', 'auth'])
  const current = useLanguage()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would announce a form that is not there
    <div className="language-switch" role="group" aria-label={t('auth:language')}>
      {LANGUAGES.map((language) => (
        <button
          key={language}
          type="button"
          lang={language}
          aria-pressed={language === current}
          onClick={() => void setLanguage(language)}
        >
          {t(`languages.${language}`)}
        </button>
      ))}
    </div>
  )
}
