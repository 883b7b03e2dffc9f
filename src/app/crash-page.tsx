import { useEffect, useLayoutEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useRouteError } from 'react-router'
import { removeEarlyPage } from '@/ui/early-page'
import { PlainButton } from '@/ui/plain-button'
import '@/ui/states.css'

/** Explains that a page failed to load or crashed, and offers a way to continue. */
export function CrashPage() {
  const { t } = useTranslation('common')
  const error = useRouteError()
  useEffect(() => console.error(error), [error])
  useLayoutEffect(removeEarlyPage, [])
  return (
    <main className="k-full-screen">
      <div role="alert">
        <h1 className="k-state-title">{t('states.crashTitle')}</h1>
        <p className="k-state-text">{t('states.crashText')}</p>
      </div>
      <PlainButton kind="primary" onClick={() => window.location.reload()}>
        {t('states.reload')}
      </PlainButton>
    </main>
  )
}
