import { type ComponentType, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, Outlet, useLocation } from 'react-router'
import { useDocumentTitle } from '@/app/document-title'
import { loadPrivateApp } from '@/app/load-private-app'
import { SessionSpinner } from '@/app/session-spinner'
import { pageAfterSignIn } from '@/app/wanted-page'
import { useSession } from '@/session/use-session'
import { FullScreenSpinner } from '@/ui/full-screen-spinner'

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
