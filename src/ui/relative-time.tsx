import { useEffect, useState } from 'react'
import { formatDateTime, formatRelative } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'

interface RelativeTimeProps {
  /** ISO 8601; nothing gives a dash. */
  value: string | null | undefined
}

/** One clock for the page: a list of 200 rows holds one timer, not 200. */
const listeners = new Set<() => void>()
let timer: number | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= window.setInterval(() => {
    for (const each of listeners) each()
  }, 30_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    window.clearInterval(timer)
    timer = undefined
  }
}

export function RelativeTime({ value }: RelativeTimeProps) {
  const language = useLanguage()
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => subscribe(() => setNow(Date.now())), [])
  if (!value) return <span>–</span>
  return (
    // A row that changed after the last tick of the clock must not read "in 20 seconds".
    <time dateTime={value} title={formatDateTime(value, language)}>
      {formatRelative(value, Math.max(now, Math.min(Date.now(), Date.parse(value) || now)), language)}
    </time>
  )
}
