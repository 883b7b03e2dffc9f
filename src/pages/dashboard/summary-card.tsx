import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { StatusTag } from '@/ui/status-tag'
import css from './dashboard-page.module.css'
import { useCountUp } from './use-count-up'

type CardTone = 'success' | 'warning' | 'error' | 'info'

type Props = { title: string; value: number; badge: string; tone: CardTone; icon: ReactNode; to: string }

export function SummaryCard({ title, value, badge, tone, icon, to }: Props) {
  const language = useLanguage()
  const shown = useCountUp(value)
  return (
    // Named by its final figure, so that a screen reader is not told two hundred figures on the way.
    <Link to={to} className={css.card} aria-label={`${title}: ${formatNumber(value, language)} · ${badge}`}>
      <span className={css.cardTop}>
        {title}
        <span className={`${css.cardIcon} ${css[tone]}`} aria-hidden>
          {icon}
        </span>
      </span>
      <span className={css.figure}>{formatNumber(shown, language)}</span>
      <span>
        <StatusTag tone={tone}>{badge}</StatusTag>
      </span>
    </Link>
  )
}
