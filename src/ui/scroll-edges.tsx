import { useLayoutEffect } from 'react'
import '@/ui/scroll-edges.css'

/** `data-edge` tells the style sheet at which of its sides a sideways scroller hides something. */
function markEdges(element: HTMLElement): void {
  const { scrollLeft, scrollWidth, clientWidth } = element
  const isStart = scrollLeft > 1
  const isEnd = scrollWidth - clientWidth - scrollLeft > 1
  element.dataset.edge = isStart && isEnd ? 'start end' : isStart ? 'start' : isEnd ? 'end' : 'none'
}

/**
 * Scrolls a sideways scroller until it shows one of its children. Not `scrollIntoView`, from which the Tab key goes on in
 * Chromium: it would skip all that comes before, the skip link too.
 */
export function scrollToChild(scroller: HTMLElement, child: Element): void {
  const view = scroller.getBoundingClientRect()
  const { left, right } = child.getBoundingClientRect()
  if (left < view.left) scroller.scrollLeft -= view.left - left
  else if (right > view.right) scroller.scrollLeft += right - view.right
}

/** Follows scrolling, and the size of the scroller and of its children. The class `k-fading` fades the content at a cut edge. */
export function useScrollEdges(element: HTMLElement | null): void {
  useLayoutEffect(() => {
    if (!element) return
    const mark = () => markEdges(element)
    mark()
    element.addEventListener('scroll', mark, { passive: true })
    const observer = new ResizeObserver(mark)
    for (const each of [element, ...element.children]) observer.observe(each)
    return () => {
      element.removeEventListener('scroll', mark)
      observer.disconnect()
    }
  }, [element])
}

const SIDES = [
  { side: 'start', sign: '‹', direction: -1 },
  { side: 'end', sign: '›', direction: 1 },
] as const

/**
 * Arrows at the cut edges of a sideways scroller, its sibling in an element of class `k-more`. They are for the mouse
 * alone: by keyboard the focus moves through the scroller itself.
 */
export function ScrollArrows({ scroller }: { scroller: HTMLElement | null }) {
  return SIDES.map(({ side, sign, direction }) => (
    <button
      key={side}
      type="button"
      className="k-more-arrow"
      data-side={side}
      aria-hidden="true"
      tabIndex={-1}
      onClick={() => scroller?.scrollBy({ left: direction * scroller.clientWidth * 0.8, behavior: 'smooth' })}
    >
      {sign}
    </button>
  ))
}
