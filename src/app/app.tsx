import { RouterProvider } from 'react-router'
import { router } from '@/app/router'
import { SessionProvider } from '@/session/session-provider'
import { ThemeProvider } from '@/ui/theme-provider'
import { ToastProvider } from '@/ui/toast'

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
