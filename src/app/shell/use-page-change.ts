import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/** The scroll offset of each page of the history, by its key. */
const positions = new Map<string, number>()

/** The element the page scrolls in; see base.css. */
function scroller(): HTMLElement | null {
  return document.getElementById('root')
}

/** Rows load after the page, so the target offset may not exist yet. */
const LONGEST_WAIT = 1500

/**
 * Scrolls as soon as the page is tall enough, unless the user scrolls first. Returns a function that stops
 * it.
 */
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
 * A new page starts at the top and takes the focus, so that a screen reader continues there. Going back
 * restores the scroll offset.
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
    // An overlay, such as the palette, keeps the focus: the user is typing there.
    if (!document.activeElement?.closest('[role="dialog"]')) main.current?.focus({ preventScroll: true })
    return scrollWhenTall(top)
  }, [pathname, key, isBack, main])
}
