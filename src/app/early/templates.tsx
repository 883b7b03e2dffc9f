import i18next from 'i18next'
import { renderToStaticMarkup } from 'react-dom/server'
import { initReactI18next, useTranslation } from 'react-i18next'
import { MemoryRouter } from 'react-router'
import { LANGUAGES } from '@/i18n/language'
import { LoginPage } from '@/pages/auth/login-page'
import { SessionContext, type SessionValue } from '@/session/use-session'
import { PRODUCT_NAME } from '@/ui/brand'
import { ThemeContext } from '@/ui/theme-provider'
import type { ThemeMode } from '@/ui/theme-store'
import { ToastProvider } from '@/ui/toast'
import enAuth from '../../../locales/en/auth.json'
import enCommon from '../../../locales/en/common.json'
import trAuth from '../../../locales/tr/auth.json'
import trCommon from '../../../locales/tr/common.json'

const SIGNED_OUT: SessionValue = {
  status: 'unauthenticated',
  user: null,
  license: { kind: 'active' },
  isUnreachable: false,
  isExpired: false,
  wasSignedIn: false,
  signIn: () => Promise.reject(new Error('The early page signs nobody in.')),
  signOut: () => Promise.resolve(),
  reloadUser: () => Promise.resolve(),
}

const THEMES: readonly ThemeMode[] = ['light', 'dark']
const SIDEBAR_BLOCKS = 12
const PAGE_BLOCKS = 6

const blocks = (count: number) =>
  Array.from({ length: count }, (_, index) => String(index)).map((key) => (
    <div key={key} className="early-block" />
  ))

function ShellFrame() {
  return (
    <div className="early-shell" aria-hidden="true">
      <div className="early-sidebar">{blocks(SIDEBAR_BLOCKS)}</div>
      <div className="early-bar" />
      <div className="early-page">{blocks(PAGE_BLOCKS)}</div>
    </div>
  )
}

function ScriptFailed() {
  const { t } = useTranslation('common')
  return (
    <main className="k-full-screen">
      <div role="alert">
        <h1 className="k-state-title">{t('early.failedTitle')}</h1>
        <p className="k-state-text">{t('early.failedText')}</p>
      </div>
      {/* biome-ignore lint/a11y/useValidAnchor: the empty address is this page's own, with its query */}
      <a className="k-button" data-kind="primary" href="">
        {t('states.reload')}
      </a>
    </main>
  )
}

function EarlyLogin({ mode }: { mode: ThemeMode }) {
  return (
    <ThemeContext.Provider value={{ mode, choice: mode, setChoice: () => undefined }}>
      <ToastProvider>
        <SessionContext.Provider value={SIGNED_OUT}>
          <MemoryRouter initialEntries={['/login']}>
            <LoginPage />
          </MemoryRouter>
        </SessionContext.Provider>
      </ToastProvider>
    </ThemeContext.Provider>
  )
}

/** The markup of each template that `early-script.ts` may show, by the id of its `<template>`. */
export async function renderTemplates(): Promise<Record<string, string>> {
  await i18next.use(initReactI18next).init({
    showSupportNotice: false,
    resources: {
      en: { auth: enAuth, common: enCommon },
      tr: { auth: trAuth, common: trCommon },
    },
    defaultNS: 'common',
    interpolation: { escapeValue: false, defaultVariables: { product: PRODUCT_NAME } },
  })
  const templates: Record<string, string> = { 'early-shell': renderToStaticMarkup(<ShellFrame />) }
  for (const language of LANGUAGES) {
    await i18next.changeLanguage(language)
    templates[`early-failed-${language}`] = renderToStaticMarkup(<ScriptFailed />)
    for (const mode of THEMES)
      templates[`early-login-${language}-${mode}`] = renderToStaticMarkup(<EarlyLogin mode={mode} />)
  }
  return templates
}
