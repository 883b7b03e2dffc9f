import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/** How far each page of the history was scrolled, by its key. */
const positions = new Map<string, number>()

/** The element the page scrolls in; see base.css. */
function scroller(): HTMLElement | null {
  return document.getElementById('root')
}

/**
 * A new page starts at its top and takes the focus, so that a screen reader reads on there; going back
 * finds the page as it was left.
 */
export function usePageChange(pathname: string, main: RefObject<HTMLElement | null>): void {
  const { key } = useLocation()
  const isBack = useNavigationType() === 'POP'
  const previous = useRef(pathname)

  useLayoutEffect(() => {
    const element = scroller()
    if (!element) return
    const remember = () => positions.set(key, element.scrollTop)
    element.addEventListener('scroll', remember, { passive: true })
    return () => element.removeEventListener('scroll', remember)
  }, [key])

  useEffect(() => {
    if (previous.current === pathname) return
    previous.current = pathname
    const top = isBack ? (positions.get(key) ?? 0) : 0
    const frame = window.requestAnimationFrame(() => {
      scroller()?.scrollTo({ top })
    })
    main.current?.focus({ preventScroll: true })
    return () => window.cancelAnimationFrame(frame)
  }, [pathname, key, isBack, main])
}
