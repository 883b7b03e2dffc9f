import MenuFoldOutlined from '@ant-design/icons/es/icons/MenuFoldOutlined'
import MenuOutlined from '@ant-design/icons/es/icons/MenuOutlined'
import MenuUnfoldOutlined from '@ant-design/icons/es/icons/MenuUnfoldOutlined'
import { type ReactNode, Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { useCan } from '@/access/use-can'
import { ConsoleUpdates } from '@/app/console-updates'
import { PaletteLauncher } from '@/app/palette/palette-launcher'
import { ConnectionNotice, LicenseBanner } from '@/app/shell/notices'
import { Sidebar } from '@/app/shell/sidebar'
import { LanguageMenu, NotificationBell, ThemeButton } from '@/app/shell/top-bar-buttons'
import { usePageChange } from '@/app/shell/use-page-change'
import { UserMenu } from '@/app/shell/user-menu'
import { isSidebarOpen, sidebarCookie } from '@/app/sidebar-cookie'
import { useMayHaveTimer } from '@/pages/tickets/timer-flag'
import { useIdentity } from '@/refine/auth-provider'
import { useRememberedLanguage } from '@/session/use-remembered-language'
import { removeEarlyPage } from '@/ui/early-page'
import { KIOSK } from '@/ui/kiosk'
import { lazyPart } from '@/ui/load-chunk'
import { Tip } from '@/ui/tip'
import '@/app/shell/shell.css'
import '@/app/shell/sidebar.css'
import '@/app/shell/top-bar.css'
import '@/ui/layout.css'

/** Below this width the sidebar is a drawer. */
const MOBILE = '(max-width: 767.98px)'

interface SidebarState {
  isMobile: boolean
  /** Expanded, next to the page. */
  isOpen: boolean
  /** The drawer over the page. */
  isDrawerOpen: boolean
  toggle: () => void
  closeDrawer: () => void
}

function useSidebar(): SidebarState {
  const [isOpen, setOpen] = useState(() => isSidebarOpen(document.cookie))
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const [isMobile, setMobile] = useState(() => window.matchMedia(MOBILE).matches)

  useEffect(() => {
    const media = window.matchMedia(MOBILE)
    const update = () => {
      setMobile(media.matches)
      setDrawerOpen(false)
    }
    media.addEventListener('change', update)
    return () => media.removeEventListener('change', update)
  }, [])

  const toggle = useCallback(() => {
    if (isMobile) {
      setDrawerOpen((before) => !before)
      return
    }
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and over HTTP
    document.cookie = sidebarCookie(!isOpen)
    setOpen(!isOpen)
  }, [isMobile, isOpen])

  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'b' || !(event.ctrlKey || event.metaKey)) return
      if (event.altKey || event.shiftKey) return
      event.preventDefault()
      toggle()
    }
    window.addEventListener('keydown', handleKey)
    return () => window.removeEventListener('keydown', handleKey)
  }, [toggle])

  const closeDrawer = useCallback(() => setDrawerOpen(false), [])
  return { isMobile, isOpen, isDrawerOpen, toggle, closeDrawer }
}

// Few users can switch companies, so the searchable select is loaded only for them.
const CompanySwitcher = lazyPart(() =>
  import('@/app/shell/company-switcher').then((m) => ({ default: m.CompanySwitcher })),
)

// Only whoever runs a timer loads what shows it.
const TimerChip = lazyPart(() => import('@/pages/tickets/timer-chip').then((m) => ({ default: m.TimerChip })))

// A wide window does not load the menu of a narrow one.
const MenuDrawer = lazyPart(() => import('@/app/shell/menu-drawer').then((m) => ({ default: m.MenuDrawer })))

interface ShellProps {
  title: string
  children: ReactNode
}

export function Shell({ title, children }: ShellProps) {
  const { t } = useTranslation('shell')
  const { pathname, search } = useLocation()
  const can = useCan()
  const user = useIdentity()
  const main = useRef<HTMLElement>(null)
  const sidebar = useSidebar()
  const [wasDrawerOpened, setDrawerOpened] = useState(false)
  if (sidebar.isDrawerOpen && !wasDrawerOpened) setDrawerOpened(true)
  useLayoutEffect(removeEarlyPage, [])
  usePageChange(pathname, main)
  useRememberedLanguage(user?.id ?? null)
  const mayHaveTimer = useMayHaveTimer(user?.id)

  if (new URLSearchParams(search).has(KIOSK))
    return (
      <main ref={main} id="main" className="shell-main" tabIndex={-1}>
        <h1 className="k-visually-hidden">{title}</h1>
        <ConnectionNotice />
        {children}
      </main>
    )

  const switcher = can('company-management', 'list').allowed ? (
    <Suspense fallback={null}>
      <CompanySwitcher />
    </Suspense>
  ) : null
  const toggleLabel = sidebar.isMobile ? t('openMenu') : sidebar.isOpen ? t('collapse') : t('expand')
  return (
    <div
      className="shell"
      data-sidebar={sidebar.isMobile ? 'drawer' : sidebar.isOpen ? 'expanded' : 'collapsed'}
    >
      <a className="skip-link" href="#main">
        {t('skip')}
      </a>
      {sidebar.isMobile ? (
        wasDrawerOpened ? (
          <Suspense fallback={null}>
            <MenuDrawer isOpen={sidebar.isDrawerOpen} onClose={sidebar.closeDrawer} switcher={switcher} />
          </Suspense>
        ) : null
      ) : (
        <aside className="sidebar">
          <Sidebar isCollapsed={!sidebar.isOpen} />
        </aside>
      )}
      <div className="shell-column">
        <header className="top-bar">
          {/* Over the drawer it would be what Escape closes first. */}
          <Tip title={sidebar.isDrawerOpen ? null : toggleLabel}>
            <button
              type="button"
              className="top-button"
              aria-label={toggleLabel}
              aria-expanded={sidebar.isMobile ? sidebar.isDrawerOpen : sidebar.isOpen}
              onClick={sidebar.toggle}
            >
              <ToggleIcon isMobile={sidebar.isMobile} isOpen={sidebar.isOpen} />
            </button>
          </Tip>
          <h1>{title}</h1>
          {sidebar.isMobile ? null : switcher}
          <PaletteLauncher />
          {mayHaveTimer ? (
            <Suspense fallback={null}>
              <TimerChip />
            </Suspense>
          ) : null}
          {user && can('notifications', 'list').allowed ? <NotificationBell userId={user.id} /> : null}
          <LanguageMenu />
          <ThemeButton />
          {user ? <UserMenu user={user} /> : null}
        </header>
        <main ref={main} id="main" className="shell-main" tabIndex={-1}>
          <div className="shell-notices">
            <ConnectionNotice />
            <ConsoleUpdates />
            <LicenseBanner />
          </div>
          {children}
        </main>
      </div>
    </div>
  )
}

function ToggleIcon({ isMobile, isOpen }: { isMobile: boolean; isOpen: boolean }) {
  if (isMobile) return <MenuOutlined aria-hidden="true" />
  return isOpen ? <MenuFoldOutlined aria-hidden="true" /> : <MenuUnfoldOutlined aria-hidden="true" />
}
