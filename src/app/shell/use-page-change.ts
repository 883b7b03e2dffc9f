import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/** How far each page of the history was scrolled, by its key. */
const positions = new Map<string, number>()

/** The element the page scrolls in; see base.css. */
function scroller(): HTMLElement | null {
  return document.getElementById('root')
}

/** Rows come after the page: the place they are to be scrolled to may not be there yet. */
const LONGEST_WAIT = 1500

/** Scrolls as soon as the page is tall enough, unless its reader scrolls first. Gives what stops it. */
function scrollWhenTall(top: number): () => void {
  const element = scroller()
  const start = performance.now()
  let frame = 0
  const stop = () => {
    window.cancelAnimationFrame(frame)
    for (const type of ['wheel', 'touchmove', 'keydown']) element?.removeEventListener(type, stop)
  }
  const step = (now: number) => {
    element?.scrollTo({ top, behavior: 'instant' })
    if (!element || element.scrollTop >= top - 1 || now - start > LONGEST_WAIT) stop()
    else frame = window.requestAnimationFrame(step)
  }
  for (const type of ['wheel', 'touchmove', 'keydown']) {
    element?.addEventListener(type, stop, { passive: true })
  }
  frame = window.requestAnimationFrame(step)
  return stop
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
    // What was opened over the page, the palette say, keeps the focus: letters are being typed there.
    if (!document.activeElement?.closest('[role="dialog"]')) main.current?.focus({ preventScroll: true })
    return scrollWhenTall(top)
  }, [pathname, key, isBack, main])
}
