import { Suspense } from 'react'
import { Navigate, useLocation } from 'react-router'
import { loadPrivateApp } from '@/app/load-private-app'
import { isPrivatePath } from '@/app/private-paths'
import { SessionSpinner } from '@/app/session-spinner'
import { wantedState } from '@/app/wanted-page'
import { useSession } from '@/session/use-session'
import { FullScreenSpinner } from '@/ui/full-screen-spinner'
import { lazyPart } from '@/ui/load-chunk'

const PrivateApp = lazyPart(loadPrivateApp)
const NotFoundPage = lazyPart(() =>
  import('@/pages/not-found/not-found-page').then((m) => ({ default: m.NotFoundPage })),
)

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
