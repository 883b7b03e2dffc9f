import { RouterProvider } from 'react-router'
import { router } from '@/app/router'
import { SessionProvider } from '@/session/session-provider'
import { NotifyProvider } from '@/ui/notify'
import { ThemeProvider } from '@/ui/theme-provider'

export function App() {
  return (
    <ThemeProvider>
      <NotifyProvider>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </NotifyProvider>
    </ThemeProvider>
  )
}
