import { useEffect, useRef, useState } from 'react'
import { COUNT_UP_MS, countAt } from './count-up'

const isStill = (): boolean => window.matchMedia('(prefers-reduced-motion: reduce)').matches

/** Runs from the figure shown before to the new one, starting at 0; at once for those who asked for less motion. */
export function useCountUp(value: number): number {
  const [shown, setShown] = useState(() => (isStill() ? value : 0))
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
