import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { StatusTag } from '@/ui/status-tag'
import { COUNT_UP_MS, countAt } from './count-up'
import css from './dashboard-page.module.css'

type CardTone = 'success' | 'warning' | 'error' | 'info'

type Props = {
  title: string
  value: number
  badge: string
  /** Follows the badge. */
  note?: string
  tone: CardTone
  icon: ReactNode
  to: string
  /** Whether the figure was there when the page opened: it is then not animated until it changes. */
  isKnown: boolean
}

export function SummaryCard({ title, value, badge, note, tone, icon, to, isKnown }: Props) {
  const language = useLanguage()
  const shown = useCountUp(value, isKnown)
  return (
    // Labeled with its final figure, so that a screen reader does not read the animation.
    <Link
      to={to}
      className={css.card}
      aria-label={`${title}: ${formatNumber(value, language)} · ${badge}${note ? ` · ${note}` : ''}`}
    >
      <span className={css.cardTop}>
        {title}
        <span className={`${css.cardIcon} ${css[tone]}`} aria-hidden>
          {icon}
        </span>
      </span>
      <span className={css.figure}>
        {shown === value ? (
          formatNumber(value, language)
        ) : (
          <>
            {/* The text of the page is the final figure from the start; the one that runs up is drawn beside it. */}
            <span className="k-visually-hidden">{formatNumber(value, language)}</span>
            <span className={css.running} data-figure={formatNumber(shown, language)} aria-hidden="true" />
          </>
        )}
      </span>
      <span className={css.cardNote}>
        <StatusTag tone={tone}>{badge}</StatusTag>
        {note}
      </span>
    </Link>
  )
}

/** A page in the background paints no frames: it would stay at the first figure. */
const isStill = (): boolean =>
  document.hidden || window.matchMedia('(prefers-reduced-motion: reduce)').matches

/**
 * Animates from the previous figure to the new one, starting at 0, or at the figure itself if it `isKnown`.
 * No animation for users who prefer reduced motion.
 */
function useCountUp(value: number, isKnown: boolean): number {
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
