import { useCallback, useEffect, useState } from 'react'
import { isSidebarOpen, sidebarCookie } from '@/app/sidebar-cookie'

/** Below this width the sidebar is a drawer. */
const MOBILE = '(max-width: 767.98px)'

interface Sidebar {
  isMobile: boolean
  /** Expanded, next to the page. */
  isOpen: boolean
  /** The drawer over the page. */
  isDrawerOpen: boolean
  toggle: () => void
  closeDrawer: () => void
}

export function useSidebar(): Sidebar {
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
