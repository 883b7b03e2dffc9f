import { Input, InputNumber, Select, Space } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DateField } from '@/resource/fields/date/date-field'
import type { Field } from '@/resource/language/definition.generated'
import {
  calendarDay,
  PERIODS,
  type Period,
  periodOf,
  periodsOf,
  splitRange,
} from '@/resource/request/filter/from-url'
import type { FilterControlProps } from '@/resource/screens/list/filter-panel'
import { useTyped } from '@/ui/use-typed'

/** Long enough to finish a word: each pause refetches the list and the counts of every open filter. */
const PAUSE_MS = 400

export function TextFilter({ id, value, onChange }: FilterControlProps) {
  const { t } = useTranslation('engine')
  const { typed, type, send } = useTyped(value, PAUSE_MS, (text) =>
    onChange(text, { replace: value !== '' && text !== '' }),
  )
  return (
    <Input
      id={id}
      value={typed}
      placeholder={t('list.any')}
      allowClear
      onChange={(event) => type(event.target.value)}
      onBlur={() => send()}
      onPressEnter={() => send()}
    />
  )
}

/** The unit of a range, if the figures alone are unclear. */
function unitOf(field: Field): string | undefined {
  if (field.type === 'percent') return '%'
  if (field.type === 'duration') return field.unit ?? 's'
  return 'unit' in field && typeof field.unit === 'string' ? field.unit : undefined
}

export function RangeFilter({ id, field, value, onChange }: FilterControlProps) {
  const { t } = useTranslation('engine')
  const { from, to } = splitRange(value)
  const send = (nextFrom: string, nextTo: string) => {
    const next = nextFrom === '' && nextTo === '' ? '' : `${nextFrom}..${nextTo}`
    onChange(next, { replace: value !== '' && next !== '' })
  }
  return (
    <Space.Compact block>
      <RangeEnd
        id={id}
        unit={unitOf(field)}
        placeholder={t('list.from')}
        value={from}
        onChange={(next) => send(next, to)}
      />
      <RangeEnd
        label={t('list.to')}
        unit={unitOf(field)}
        placeholder={t('list.to')}
        value={to}
        onChange={(next) => send(from, next)}
      />
    </Space.Compact>
  )
}

interface RangeEndProps {
  id?: string
  label?: string
  unit: string | undefined
  placeholder: string
  value: string
  onChange: (value: string) => void
}

function RangeEnd({ id, label, unit, placeholder, value, onChange }: RangeEndProps) {
  const { typed, type, send } = useTyped(value, PAUSE_MS, onChange)
  return (
    <InputNumber
      id={id}
      className="k-full"
      aria-label={label}
      placeholder={placeholder}
      suffix={unit}
      value={typed === '' ? null : Number(typed)}
      onChange={(next) => type(next === null ? '' : String(next))}
      onBlur={() => send()}
      onPressEnter={() => send()}
    />
  )
}

type PeriodChoice = Period | 'between'

/** A period that follows the calendar, or two days. */
export function DaysFilter({ id, field, value, onChange }: FilterControlProps) {
  const { t } = useTranslation('engine')
  const [isBetween, setBetween] = useState(false)
  const period = periodOf(value)
  const choices = [...new Set<PeriodChoice>([...periodsOf(field), ...(period ? [period] : []), 'between'])]
  const choice = isBetween || (value !== '' && !period) ? 'between' : period
  const { from, to } = splitRange(value)
  const ends = { from: calendarDay(from), to: calendarDay(to) }
  const [wrong, setWrong] = useState<keyof typeof ends | null>(null)
  const problemId = useId()
  const handleDay = (end: keyof typeof ends, day: string | null) => {
    const next = { ...ends, [end]: day ?? '' }
    const [first, last] =
      next.from && next.to && next.from > next.to ? [next.to, next.from] : [next.from, next.to]
    onChange(first || last ? `${first}..${last}` : '')
  }
  return (
    <>
      <Select<PeriodChoice>
        id={id}
        className="k-full"
        value={choice}
        placeholder={t('list.any')}
        options={choices.map((each) => ({ value: each, label: t(`list.periods.${each}`) }))}
        allowClear
        onChange={(next?: PeriodChoice) => {
          setBetween(next === 'between')
          if (next !== 'between') onChange(next ? PERIODS[next] : '')
        }}
      />
      {choice === 'between' ? (
        <>
          {(['from', 'to'] as const).map((end) => (
            <DateField
              key={end}
              aria-label={t(`list.${end}`)}
              aria-describedby={wrong === end ? problemId : undefined}
              status={wrong === end ? 'error' : undefined}
              placeholder={`${t(`list.${end}`)}: ${t('date.placeholder')}`}
              // Chosen just now, and not opened with the panel.
              autoFocus={isBetween && end === 'from'}
              value={ends[end] || null}
              onType={() => setWrong(null)}
              onChange={(day) => handleDay(end, day)}
              onUnreadable={() => {
                setWrong(end)
                handleDay(end, null)
              }}
            />
          ))}
          {wrong ? (
            <span id={problemId} role="alert" className="k-filter-wrong">
              {t('check.date')}
            </span>
          ) : null}
        </>
      ) : null}
    </>
  )
}
