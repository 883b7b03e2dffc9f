import { formatDay } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/blank'
import { isColored } from '@/resource/fields/is-colored'
import type { CellProps } from '@/resource/fields/kind'
import { StatusTag } from '@/ui/status-tag'

const DAY_MS = 86_400_000

/** How near the end of something is; null while it is far. */
export function endTone(day: string, warnDays: number, now: number): 'error' | 'warning' | null {
  // The day itself still counts, wherever the reader is.
  const today = new Date(now)
  const left = (Date.parse(day) - Date.UTC(today.getFullYear(), today.getMonth(), today.getDate())) / DAY_MS
  return left < 0 ? 'error' : left <= warnDays ? 'warning' : null
}

export function Cell({ value, field, resource, row }: CellProps<'date'>) {
  const language = useLanguage()
  if (typeof value !== 'string' || value === '') return <Blank />
  const isWarned = field.warn_days !== undefined && isColored(field, resource, row)
  const tone = isWarned ? endTone(value, field.warn_days ?? 0, Date.now()) : null
  const day = <time dateTime={value}>{formatDay(value, language)}</time>
  return tone ? <StatusTag tone={tone}>{day}</StatusTag> : day
}
