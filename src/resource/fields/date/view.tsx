import { Suspense } from 'react'
import { formatDateTime, formatDay, formatFirstZone, formatTime } from '@/i18n/format'
import { useEngineWords, useLanguage } from '@/i18n/use-language'
import { Blank, isColored, isPaused } from '@/resource/fields/cell-parts'
import { toneOf } from '@/resource/fields/enum/view'
import type { CellProps } from '@/resource/fields/kind-interface'
import { useFieldWord } from '@/resource/language/words'
import { lazyPart } from '@/ui/load-chunk'
import { RelativeTime } from '@/ui/relative-time'
import { StatusTag } from '@/ui/status-tag'

// Few lists count down, so that the others do not load it.
const Countdown = lazyPart(() => import('@/ui/countdown').then((module) => ({ default: module.Countdown })))

const EarlierOr = lazyPart(() =>
  import('@/resource/fields/date/earlier').then((module) => ({ default: module.EarlierOr })),
)

const DAY_MS = 86_400_000

/** How near the end of something is; null while it is far. */
function endTone(day: string, warnDays: number, now: number): 'error' | 'warning' | null {
  // The day itself still counts, wherever the reader is.
  const today = new Date(now)
  const left = (Date.parse(day) - Date.UTC(today.getFullYear(), today.getMonth(), today.getDate())) / DAY_MS
  return left < 0 ? 'error' : left <= warnDays ? 'warning' : null
}

function DateCell({ value, field, resource, row }: CellProps<'date'>) {
  const language = useLanguage()
  if (typeof value !== 'string' || value === '') return <Blank />
  const isWarned = field.warn_days !== undefined && isColored(field, resource, row)
  const tone = isWarned ? endTone(value, field.warn_days ?? 0, Date.now()) : null
  const day = <time dateTime={value}>{formatDay(value, language)}</time>
  return tone ? <StatusTag tone={tone}>{day}</StatusTag> : day
}

function DateTimeCell(props: CellProps<'datetime'>) {
  const { value, field, row, dense, resource } = props
  const t = useEngineWords()
  const language = useLanguage()
  if (field.until && dense) return <UntilTag {...props} />
  if (field.or_earlier && dense) {
    const { or_earlier: _others, ...rest } = field
    const own = <DateTimeCell {...props} field={rest} />
    return (
      // The width of a column is measured before the code is there.
      <Suspense fallback={own}>
        <EarlierOr {...props}>{own}</EarlierOr>
      </Suspense>
    )
  }
  if (typeof value !== 'string' || value === '') return <Blank />
  // Typed in a cell and not a date: shown as it is, beside its error.
  if (Number.isNaN(Date.parse(value))) return <span>{value}</span>
  if (field.local_when && row[field.local_when] === true)
    return <span>{t('cell.deviceClock', { time: formatFirstZone(value, language) })}</span>
  if (field.countdown && isPaused(field, resource, row)) {
    const moment = formatDateTime(value, language)
    return (
      <span>
        <StatusTag>
          <span title={moment}>{t('countdown.paused')}</span>
        </StatusTag>
        {dense ? null : (
          <span className="k-soft">
            {' · '}
            <time dateTime={value}>{moment}</time>
          </span>
        )}
      </span>
    )
  }
  if (field.countdown && isColored(field, resource, row))
    return (
      <Suspense fallback={<time dateTime={value}>{formatDateTime(value, language)}</time>}>
        <Countdown value={value} />
      </Suspense>
    )
  if (field.relative && dense) return <RelativeTime value={value} />
  return (
    <span>
      <time dateTime={value}>{formatDateTime(value, language)}</time>
      {field.relative ? (
        <span className="k-soft">
          {' · '}
          <RelativeTime value={value} />
        </span>
      ) : null}
    </span>
  )
}

/** A state that ends by itself: its label and its end, and nothing once it is over. */
function UntilTag({ value, field, name, resource }: CellProps<'datetime'>) {
  const language = useLanguage()
  const label = useFieldWord(resource)
  const end = new Date(String(value))
  if (!(end.getTime() > Date.now())) return null
  const isToday = end.toDateString() === new Date().toDateString()
  return (
    <StatusTag tone={toneOf(field.until)}>
      {label(name)} {isToday ? formatTime(end, language) : formatDateTime(end, language)}
    </StatusTag>
  )
}

export const cells = { date: DateCell, datetime: DateTimeCell }
