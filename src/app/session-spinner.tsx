import { useLayoutEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '@/session/use-session'
import { removeEarlyPage } from '@/ui/early-page'
import { FullScreenSpinner } from '@/ui/full-screen-spinner'
import { PlainButton } from '@/ui/plain-button'

/** Shown during the first session check; says so when the server does not respond. */
export function SessionSpinner() {
  const { t } = useTranslation('common')
  const { isUnreachable, reloadUser } = useSession()
  useLayoutEffect(() => {
    if (isUnreachable) removeEarlyPage()
  }, [isUnreachable])
  if (!isUnreachable) return <FullScreenSpinner />
  return (
    <FullScreenSpinner>
      <div role="alert">
        <h1 className="k-state-title">{t('offline.title')}</h1>
        <p className="k-state-text">{t('offline.sessionText')}</p>
      </div>
      <PlainButton onClick={() => void reloadUser()}>{t('actions.retry')}</PlainButton>
    </FullScreenSpinner>
  )
}
