import { type ComponentType, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, Outlet } from 'react-router'
import { useDocumentTitle } from '@/app/document-title'
import { loadPrivateApp } from '@/app/load-private-app'
import { SessionSpinner } from '@/app/session-spinner'
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

/** Somebody who is signed in has nothing to do on the sign-in and sign-up pages. */
export function GuestOnly() {
  const { status } = useSession()
  if (status === 'loading') return <SessionSpinner />
  if (status === 'authenticated') return <Navigate to="/" replace />
  return (
    // The console is fetched while the password is checked, and not a moment before somebody wants in.
    <div className="guest" onSubmitCapture={() => void loadPrivateApp()}>
      <Outlet />
    </div>
  )
}
