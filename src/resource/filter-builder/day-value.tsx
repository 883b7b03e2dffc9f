import { DatePicker, InputNumber } from 'antd'
import dayjs from 'dayjs'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { NOW_AND_DAYS } from '@/resource/filter/from-url'
import { MOST_DAYS } from '@/resource/filter/where'
import type { ValueProps } from '@/resource/filter-builder/value-control'
import { useDayjs } from '@/ui/use-dayjs'

const MIN_DAY = dayjs('1900-01-01')
const MAX_DAY = dayjs('2999-12-31')

type Way = 'fixed' | 'ago' | 'ahead'

function wayOf(value: string): Way {
  if (!value.startsWith('$')) return 'fixed'
  return value.includes('+') ? 'ahead' : 'ago'
}

/** A day of the calendar, or one so many days away from today whenever the list is opened. */
export function DayValue(props: ValueProps & { label: string }) {
  const { id, label, operator, values, place, isMissing, onChange } = props
  const { t } = useTranslation('filters')
  const value = values[0] ?? ''
  const [way, setWay] = useState(() => wayOf(value))
  const day = useDayjs(value.startsWith('$') ? null : value)
  const amount = NOW_AND_DAYS.exec(value)?.[2] ?? (value === '$now' ? '0' : null)
  // "On" a day means all of it, and an instant has none.
  const isRelative = operator !== 'on' && operator !== 'notOn'
  const chosen = isRelative ? way : 'fixed'
  const status = isMissing ? ('error' as const) : undefined
  return (
    <span className="k-where-day">
      {isRelative ? (
        <select
          className="k-where-select"
          aria-label={t('kindOfDay', { place })}
          value={way}
          onChange={(event) => {
            setWay(event.target.value as Way)
            onChange([])
          }}
        >
          {(['fixed', 'ago', 'ahead'] as const).map((each) => (
            <option key={each} value={each}>
              {t(each)}
            </option>
          ))}
        </select>
      ) : null}
      {chosen === 'fixed' ? (
        <DatePicker
          id={id}
          className="k-full"
          aria-label={label}
          aria-invalid={isMissing}
          status={status}
          format={['DD.MM.YYYY', 'YYYY-MM-DD']}
          minDate={MIN_DAY}
          maxDate={MAX_DAY}
          value={day}
          onChange={(next) => onChange(next ? [next.format('YYYY-MM-DD')] : [])}
        />
      ) : (
        <InputNumber
          id={id}
          className="k-full"
          aria-label={label}
          aria-invalid={isMissing}
          status={status}
          min={0}
          max={MOST_DAYS}
          precision={0}
          value={amount === null ? null : Number(amount)}
          onChange={(next) => onChange(next === null ? [] : [`$now${chosen === 'ago' ? '-' : '+'}${next}d`])}
        />
      )}
    </span>
  )
}
