import { useEffect, useLayoutEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { createBrowserRouter, RouterProvider, useRouteError } from 'react-router'
import { GuestOnly, PrivateArea, PublicPage } from '@/app/areas'
import { SessionProvider } from '@/session/session-provider'
import { removeEarlyPage } from '@/ui/early-page'
import { lazyPart, reloadPastCache } from '@/ui/load-chunk'
import { PlainButton } from '@/ui/plain-button'
import { ThemeProvider } from '@/ui/theme-provider'
import { ToastProvider } from '@/ui/toast'
import '@/ui/states.css'

const LoginPage = lazyPart(() => import('@/pages/auth/login-page').then((m) => ({ default: m.LoginPage })))
const SignupPage = lazyPart(() => import('@/pages/auth/signup-page').then((m) => ({ default: m.SignupPage })))
const ForgotPasswordPage = lazyPart(() =>
  import('@/pages/auth/forgot-password-page').then((m) => ({ default: m.ForgotPasswordPage })),
)
const ResetPasswordPage = lazyPart(() =>
  import('@/pages/auth/reset-password-page').then((m) => ({ default: m.ResetPasswordPage })),
)
const WafTestPage = lazyPart(() =>
  import('@/pages/waf-test/waf-test-page').then((m) => ({ default: m.WafTestPage })),
)

const router = createBrowserRouter([
  {
    errorElement: <CrashPage />,
    children: [
      {
        element: <GuestOnly />,
        children: [
          { path: '/login', element: <PublicPage title="login" page={LoginPage} /> },
          { path: '/signup', element: <PublicPage title="signup" page={SignupPage} /> },
        ],
      },
      { path: '/forgot-password', element: <PublicPage title="forgotPassword" page={ForgotPasswordPage} /> },
      { path: '/reset-password', element: <PublicPage title="resetPassword" page={ResetPasswordPage} /> },
      { path: '/waf-test', element: <PublicPage title="wafTest" page={WafTestPage} /> },
      { path: '*', element: <PrivateArea /> },
    ],
  },
])

/** Explains that a page failed to load or crashed, and offers a way to continue. */
function CrashPage() {
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
      <PlainButton kind="primary" onClick={() => void reloadPastCache()}>
        {t('states.reload')}
      </PlainButton>
    </main>
  )
}

export function App() {
  return (
    <ThemeProvider>
      <ToastProvider>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </ToastProvider>
    </ThemeProvider>
  )
}
