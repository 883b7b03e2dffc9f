import { Button } from 'antd'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { DeniedError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { useLanguage } from '@/i18n/use-language'
import { isPaused } from '@/resource/fields/cell-parts'
import { toneOf } from '@/resource/fields/enum/view'
import { valueKindOf } from '@/resource/fields/kinds'
import type { Calendar, Definition, Filter } from '@/resource/language/definition.generated'
import { listOf, recordPath } from '@/resource/language/naming'
import { useValueWord } from '@/resource/language/words'
import { filterFields } from '@/resource/request/filter/mentioned-fields'
import { compareKinds, matches } from '@/resource/request/filter/predicate'
import { listFields } from '@/resource/request/query/columns'
import { recordTitle } from '@/resource/request/query/title'
import { useListQuery } from '@/resource/request/query/use-list-query'
import type { LayoutProps } from '@/resource/screens/list/layouts/board-view'
import {
  addDays,
  addMonths,
  type Day,
  dayOf,
  dayOfValue,
  startOf,
  weeksOf,
} from '@/resource/screens/list/layouts/month'
import { useErrorText } from '@/resource/use-error-text'
import { DeniedState } from '@/ui/denied-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { Notice } from '@/ui/notice'
import { useMedia } from '@/ui/use-media'
import '@/resource/screens/list/layouts/layouts.css'

/** More records than a month can show. */
const MAX_RECORDS = 1000
/** Records of a day, before the others are behind a button. */
const MAX_PER_DAY = 3
/** Dates of the English interface are written day first. */
const LOCALES = { en: 'en-GB', tr: 'tr-TR' } as const

function isMoment({ fields }: Definition, name: string): boolean {
  const field = fields[name]
  return field !== undefined && valueKindOf(field).compare === 'instant'
}

/** The records of these days: those that begin in them, and with an end, those that last into them. */
function monthFilter({ from, until }: Calendar, start: string, end: string): Filter {
  const begins: Filter = { [from]: { _gte: start, _lt: end } }
  if (!until) return begins
  return {
    _or: [begins, { _and: [{ [from]: { _lt: start } }, { [until]: { _gte: start } }] }],
  }
}

/** The records by day, in the order in which they were read. */
export function recordsByDay(
  definition: Definition,
  { from, until }: Calendar,
  rows: readonly Row[],
  days: readonly Day[],
): ReadonlyMap<Day, Row[]> {
  const isInstant = isMoment(definition, from)
  const first = days[0] ?? ''
  const last = days.at(-1) ?? ''
  const byDay = new Map<Day, Row[]>(days.map((day) => [day, []]))
  for (const row of rows) {
    const begin = dayOfValue(row[from], isInstant)
    if (begin === null) continue
    const end = (until ? dayOfValue(row[until], isInstant) : null) ?? begin
    for (let day = begin < first ? first : begin; day <= end && day <= last; day = addDays(day, 1))
      byDay.get(day)?.push(row)
  }
  return byDay
}

export function CalendarView({
  definition,
  columns,
  state,
  scope,
  extra,
  linkState,
  onHover,
  onChange,
}: LayoutProps) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const errorText = useErrorText()
  const calendar = listOf(definition)?.calendar as Calendar
  const valueWord = useValueWord(definition.name, calendar.color ?? '')
  const isPhone = useMedia('(max-width: 767.98px)')
  const isInstant = isMoment(definition, calendar.from)
  const today = dayOf(new Date())
  const month = state.at ?? today.slice(0, 7)
  const weeks = useMemo(() => weeksOf(month), [month])
  const days = useMemo(() => weeks.flat(), [weeks])
  const [chosen, setChosen] = useState<Day | null>(null)
  const [whole, setWhole] = useState<Day | null>(null)

  const first = days[0] ?? ''
  const after = addDays(days.at(-1) ?? first, 1)
  const edge = (day: Day) => (isInstant ? startOf(day) : day)
  const own = monthFilter(calendar, edge(first), edge(after))
  const isSorted = Boolean(definition.fields[calendar.from]?.sort)
  const fields = [
    ...listFields(definition, columns.slice(0, 1)),
    calendar.from,
    ...(calendar.until ? [calendar.until] : []),
    ...(calendar.color ? [calendar.color] : []),
    ...filterFields(calendar.done_when),
  ]
  const result = useListQuery(
    definition,
    fields,
    {
      ...state,
      sort: isSorted ? [{ field: calendar.from, descending: false }] : [],
      page: 1,
      cursor: null,
      pageSize: MAX_RECORDS,
    },
    scope,
    extra ? { _and: [extra, own] } : own,
    { isCounted: false },
  )
  const { list, more, error } = result
  useEffect(() => {
    if (more?.hasMore) more.load()
  })
  const rows = list?.rows
  // Until a month has been read, its days would look empty, or show the records of the month before.
  const [readMonth, setReadMonth] = useState<string | null>(null)
  if (list && !result.isStale && readMonth !== month) setReadMonth(month)
  const isReading = !list || readMonth !== month
  const byDay = useMemo(
    () => recordsByDay(definition, calendar, rows ?? [], days),
    [definition, calendar, rows, days],
  )
  if (!list && error instanceof DeniedError) return <DeniedState text={errorText(error)} />
  if (!list && error) return <ErrorState text={errorText(error)} onRetry={result.refetch} />

  const locale = LOCALES[language]
  const named = (day: Day, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, options).format(new Date(`${day}T12:00:00`))
  const time = (row: Row, day: Day) => {
    if (!isInstant || dayOfValue(row[calendar.from], true) !== day) return null
    return new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(
      new Date(String(row[calendar.from])),
    )
  }
  const item = (row: Row, day: Day) => {
    const title = recordTitle(definition, row)
    const path = recordPath(definition, String(row.id))
    const clock = time(row, day)
    const { tone, isDone, text, isWarned } = stateOf(row)
    return (
      <li
        key={String(row.id)}
        className="k-calendar-item"
        data-tone={tone}
        data-done={isDone}
        title={text ? `${title} · ${text}` : title}
        onPointerEnter={() => onHover(row)}
      >
        {clock ? <span className="k-calendar-time">{clock}</span> : null}
        {path ? (
          <Link to={path} state={linkState}>
            {title}
          </Link>
        ) : (
          <span>{title}</span>
        )}
        {text ? <span className={isWarned ? 'k-calendar-state' : 'k-visually-hidden'}>{text}</span> : null}
      </li>
    )
  }
  const stateOf = (row: Row) => {
    const { color, done_when } = calendar
    const field = color === undefined ? undefined : definition.fields[color]
    const value = color === undefined ? null : row[color]
    const isDone = done_when !== undefined && matches(done_when, row, {}, compareKinds(definition))
    const hasValue = field?.type === 'enum' && typeof value === 'string' && value !== ''
    const tone = hasValue && !isDone ? toneOf(field.values[value]) : undefined
    const word = hasValue ? valueWord(value) : null
    const isStill = hasValue && isPaused(field, definition.name, row)
    const texts = [
      isStill ? t('countdown.pausedValue', { value: word }) : word,
      isDone ? t('layout.done') : null,
    ]
    return {
      tone,
      isDone,
      text: texts.filter(Boolean).join(', '),
      // A color alone would not warn everybody.
      isWarned: tone === 'warning' || tone === 'error',
    }
  }
  const records = (day: Day) => byDay.get(day) ?? []
  const shownDay =
    chosen !== null && days.includes(chosen) ? chosen : month === today.slice(0, 7) ? today : `${month}-01`
  const go = (next: string) => {
    setWhole(null)
    onChange({ at: next === today.slice(0, 7) ? null : next })
  }
  const cell = (day: Day) => {
    const all = records(day)
    const date = <span className="k-calendar-date">{Number(day.slice(8))}</span>
    if (isPhone)
      return (
        <button
          type="button"
          aria-pressed={day === shownDay}
          aria-label={`${named(day, { dateStyle: 'full' })}, ${t('list.selected', { count: all.length })}`}
          onClick={() => setChosen(day)}
        >
          {date}
          {all.length > 0 ? <span className="k-calendar-dot" /> : null}
        </button>
      )
    const isWhole = whole === day || all.length <= MAX_PER_DAY + 1
    const visible = isWhole ? all : all.slice(0, MAX_PER_DAY)
    return (
      <>
        {date}
        {visible.length > 0 ? (
          <ul className="k-calendar-list">{visible.map((row) => item(row, day))}</ul>
        ) : null}
        {isWhole ? null : (
          <button type="button" className="k-calendar-more" onClick={() => setWhole(day)}>
            {t('layout.moreOnDay', { count: all.length - MAX_PER_DAY })}
          </button>
        )}
      </>
    )
  }
  return (
    <div className="k-calendar" data-stale={result.isStale} aria-busy={isReading}>
      <div className="k-calendar-bar">
        <h2 aria-live="polite">{named(`${month}-01`, { month: 'long', year: 'numeric' })}</h2>
        <Button onClick={() => go(today.slice(0, 7))}>{t('layout.today')}</Button>
        <Button aria-label={t('layout.previousMonth')} onClick={() => go(addMonths(month, -1))}>
          ‹
        </Button>
        <Button aria-label={t('layout.nextMonth')} onClick={() => go(addMonths(month, 1))}>
          ›
        </Button>
      </div>
      {list?.hasNext && !more?.hasMore ? (
        <Notice tone="warning" title={t('layout.tooMany', { count: MAX_RECORDS })} />
      ) : null}
      {isReading ? (
        <LoadingState rows={8} />
      ) : (
        <>
          <table className="k-calendar-grid">
            <caption className="k-visually-hidden">
              {named(`${month}-01`, { month: 'long', year: 'numeric' })}
            </caption>
            <thead>
              <tr>
                {(weeks[0] ?? []).map((day) => (
                  <th key={day} scope="col">
                    {named(day, { weekday: 'short' })}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {weeks.map((week) => (
                <tr key={week[0]}>
                  {week.map((day) => (
                    <td
                      key={day}
                      className="k-calendar-day"
                      data-day={day}
                      data-outside={!day.startsWith(month)}
                      data-today={day === today}
                      data-chosen={isPhone && day === shownDay}
                    >
                      {cell(day)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {isPhone ? (
            <section className="k-calendar-agenda">
              <h3>{named(shownDay, { weekday: 'long', day: 'numeric', month: 'long' })}</h3>
              {records(shownDay).length > 0 ? (
                <ul className="k-calendar-list">{records(shownDay).map((row) => item(row, shownDay))}</ul>
              ) : (
                <p className="k-board-note">{t('layout.dayEmpty')}</p>
              )}
            </section>
          ) : null}
        </>
      )}
    </div>
  )
}
