import { useSyncExternalStore } from 'react'
import { formatCountdown, formatDateTime } from '@/i18n/format'
import { useEngineWords, useLanguage } from '@/i18n/use-language'
import { StatusTag, type Tone } from '@/ui/status-tag'

const TICK_MS = 1000
const HOUR_MS = 3_600_000

/** All countdowns of the page share one clock: a list of 200 rows holds one timer, not 200. */
const listeners = new Set<() => void>()
let timer: number | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= window.setInterval(() => {
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    window.clearInterval(timer)
    timer = undefined
  }
}

function toneOf(left: number): Tone {
  return left < 0 ? 'error' : left < HOUR_MS ? 'warning' : 'neutral'
}

/** The time left until a moment, or since it passed. Only a countdown whose words change renders again. */
export function Countdown({ value }: { value: string }) {
  const t = useEngineWords()
  const language = useLanguage()
  const end = Date.parse(value)
  const text = useSyncExternalStore(subscribe, () => {
    const left = end - Date.now()
    // Minutes no longer matter once hours have passed, and the column of a list has no room for them.
    return formatCountdown(Math.abs(left), language, left < -HOUR_MS ? 1 : 2)
  })
  const left = end - Date.now()
  return (
    <StatusTag tone={toneOf(left)}>
      <time dateTime={value} title={formatDateTime(value, language)}>
        {left < 0 ? t('countdown.past', { time: text }) : t('countdown.left', { time: text })}
      </time>
    </StatusTag>
  )
}
