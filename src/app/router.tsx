import { createBrowserRouter } from 'react-router'
import { CrashPage } from '@/app/crash-page'
import { PrivateArea } from '@/app/private-area'
import { GuestOnly, PublicPage } from '@/app/public-page'
import { lazyPart } from '@/ui/load-chunk'

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

export const router = createBrowserRouter([
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
