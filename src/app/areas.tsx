import { type ComponentType, Suspense, useLayoutEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, Outlet, useLocation } from 'react-router'
import { loadPrivateApp } from '@/app/load-private-app'
import { isPrivatePath, pageAfterSignIn, wantedState } from '@/app/private-paths'
import { useSession } from '@/session/use-session'
import { useDocumentTitle } from '@/ui/document-title'
import { removeEarlyPage } from '@/ui/early-page'
import { FullScreenSpinner } from '@/ui/full-screen-spinner'
import { lazyPart } from '@/ui/load-chunk'
import { PlainButton } from '@/ui/plain-button'

const PrivateApp = lazyPart(loadPrivateApp)
const NotFoundPage = lazyPart(() =>
  import('@/pages/not-found/not-found-page').then((m) => ({ default: m.NotFoundPage })),
)

/** Shown during the first session check; says so when the server does not respond. */
function SessionSpinner() {
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

interface PublicPageProps {
  title: 'login' | 'signup' | 'forgotPassword' | 'resetPassword' | 'wafTest'
  page: ComponentType
}

export function PublicPage({ title, page: Page }: PublicPageProps) {
  return (
    <Suspense fallback={<FullScreenSpinner />}>
      <PageTitle title={title} />
      <Page />
    </Suspense>
  )
}

function PageTitle({ title }: Pick<PublicPageProps, 'title'>) {
  const { t } = useTranslation('auth')
  useDocumentTitle(t(`titles.${title}`))
  return null
}

/** Sends a signed-in user away from the sign-in and sign-up pages: to the page they wanted, or the dashboard. */
export function GuestOnly() {
  const { state } = useLocation()
  const { status, isExpired } = useSession()
  if (status === 'loading') return <SessionSpinner />
  if (status === 'authenticated' && !isExpired) return <Navigate to={pageAfterSignIn(state)} replace />
  return (
    // The console is fetched while the password is checked, and not a moment before somebody wants in.
    <div className="guest" onSubmitCapture={() => void loadPrivateApp()}>
      <Outlet />
    </div>
  )
}

/** All pages behind the sign-in, and the 404 page. */
export function PrivateArea() {
  const location = useLocation()
  const { status, user, wasSignedIn } = useSession()

  if (!isPrivatePath(location.pathname)) {
    return (
      <Suspense fallback={<FullScreenSpinner />}>
        <NotFoundPage />
      </Suspense>
    )
  }
  if (status === 'loading') return <SessionSpinner />
  if (status === 'unauthenticated' || !user) {
    // The page of a user who signed out must not open for the next user.
    return <Navigate to="/login" replace state={wasSignedIn ? null : wantedState(location)} />
  }
  // The key drops every cached row with the person who could see it.
  return (
    <Suspense fallback={<FullScreenSpinner />}>
      <PrivateApp key={user.id} />
    </Suspense>
  )
}
