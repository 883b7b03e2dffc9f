import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { splitDuration } from '@/resource/fields/duration/split-duration'

/** Writes a number of seconds in the reader's units: `850 ms`, `1.5 s`, `3 min 5 s`. */
export function useDurationText(): (seconds: number) => string {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  return useCallback(
    (seconds: number) =>
      splitDuration(seconds)
        .map(({ unit, amount }) => t(`units.${unit}`, { amount: formatNumber(amount, language) }))
        .join(' '),
    [t, language],
  )
}
