import { useEffect, useRef, useState } from 'react'
import { COUNT_UP_MS, countAt } from './count-up'

/** A page in the background paints no frames: it would stay at the first figure. */
const isStill = (): boolean =>
  document.hidden || window.matchMedia('(prefers-reduced-motion: reduce)').matches

/**
 * Animates from the previous figure to the new one, starting at 0, or at the figure itself if it `isKnown`.
 * No animation for users who prefer reduced motion.
 */
export function useCountUp(value: number, isKnown: boolean): number {
  const [shown, setShown] = useState(() => (isKnown || isStill() ? value : 0))
  const shownRef = useRef(shown)

  useEffect(() => {
    const show = (figure: number) => {
      shownRef.current = figure
      setShown(figure)
    }
    const from = shownRef.current
    if (from === value) return
    if (isStill()) {
      show(value)
      return
    }
    let frame = 0
    const start = performance.now()
    const step = (now: number) => {
      show(countAt(from, value, now - start))
      if (now - start < COUNT_UP_MS) frame = requestAnimationFrame(step)
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [value])

  return shown
}
