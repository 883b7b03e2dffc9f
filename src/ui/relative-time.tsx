import { useSyncExternalStore } from 'react'
import { formatDateTime, formatRelative } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'

interface RelativeTimeProps {
  /** ISO 8601; nothing gives a dash. */
  value: string | null | undefined
}

/** A minute must not read "now" for long after it has passed. */
const TICK_MS = 5_000

/** All times on the page share one clock: a list of 200 rows holds one timer, not 200. */
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

export function RelativeTime({ value }: RelativeTimeProps) {
  const language = useLanguage()
  // The words are the state, so that a tick renders only the rows whose words change.
  const words = useSyncExternalStore(subscribe, () =>
    value ? formatRelative(value, Date.now(), language) : null,
  )
  if (!value) return <span>–</span>
  return (
    <time dateTime={value} title={formatDateTime(value, language)}>
      {words}
    </time>
  )
}
