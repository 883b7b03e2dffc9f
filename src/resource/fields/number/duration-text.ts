import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'

const UNITS = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3600 },
  { unit: 'min', seconds: 60 },
  { unit: 's', seconds: 1 },
] as const

interface DurationPart {
  unit: 'd' | 'h' | 'min' | 's' | 'ms'
  amount: number
}

interface DurationForm {
  /** No days. */
  inHours?: boolean
  /** Every unit, and not the two largest alone. */
  isWhole?: boolean
}

/**
 * The two largest units that say something: 3,725 s is 1 h 2 min, 300 s is 5 min. From an hour on, seconds are left out. Below 10 s one decimal is kept, below
 * a second the milliseconds.
 */
export function splitDuration(
  seconds: number,
  { inHours = false, isWhole = false }: DurationForm = {},
): DurationPart[] {
  const ms = Math.round(seconds * 1000)
  if (ms > 0 && ms < 1000 && !isWhole) return [{ unit: 'ms', amount: ms }]
  if (ms >= 1000 && ms < 9950 && !isWhole) return [{ unit: 's', amount: Math.round(ms / 100) / 10 }]
  let rest = Math.max(0, Math.round(seconds))
  const parts: DurationPart[] = []
  for (const { unit, seconds: size } of inHours ? UNITS.slice(1) : UNITS) {
    const amount = Math.floor(rest / size)
    rest -= amount * size
    if (amount > 0) parts.push({ unit, amount })
  }
  if (parts.length === 0) return [{ unit: 's', amount: 0 }]
  if (isWhole) return parts
  return parts.filter(({ unit }) => unit !== 's' || seconds < 3600).slice(0, 2)
}

/** Writes a number of seconds in the reader's units: `850 ms`, `1.5 s`, `3 min 5 s`. */
export function useDurationText(): (seconds: number, form?: DurationForm) => string {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  return useCallback(
    (seconds: number, form?: DurationForm) =>
      splitDuration(seconds, form)
        .map(({ unit, amount }) => t(`units.${unit}`, { amount: formatNumber(amount, language) }))
        .join(' '),
    [t, language],
  )
}
