import { RouterProvider } from 'react-router'
import { router } from '@/app/router'
import { useLanguage } from '@/i18n/use-language'
import { SessionProvider } from '@/session/session-provider'
import { NotifyProvider } from '@/ui/notify'
import { ThemeProvider } from '@/ui/theme-provider'

export function App() {
  const language = useLanguage()
  return (
    <ThemeProvider language={language}>
      <NotifyProvider>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </NotifyProvider>
    </ThemeProvider>
  )
}
