import { InputNumber } from 'antd'
import dayjs from 'dayjs'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DateField } from '@/resource/fields/date/date-field'
import { NOW_AND_DAYS } from '@/resource/request/filter/from-url'
import { MAX_DAYS } from '@/resource/request/filter/where'
import type { ValueProps } from '@/resource/screens/list/filter-builder/value-control'

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
  const { t } = useTranslation(['filters', 'engine'])
  const value = values[0] ?? ''
  const [way, setWay] = useState(() => wayOf(value))
  const [isUnreadable, setUnreadable] = useState(false)
  const problemId = useId()
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
        <span className="k-where-value">
          <DateField
            id={id}
            aria-label={label}
            aria-invalid={isMissing || isUnreadable}
            aria-describedby={isUnreadable ? problemId : undefined}
            status={isUnreadable ? 'error' : status}
            minDate={MIN_DAY}
            maxDate={MAX_DAY}
            value={value === '' || value.startsWith('$') ? null : value}
            onType={() => setUnreadable(false)}
            onChange={(next) => onChange(next === null ? [] : [next])}
            onUnreadable={() => {
              setUnreadable(true)
              onChange([])
            }}
          />
          {isUnreadable ? (
            <span id={problemId} role="alert" className="k-where-missing">
              {t('engine:check.date')}
            </span>
          ) : null}
        </span>
      ) : (
        <InputNumber
          id={id}
          className="k-full"
          aria-label={label}
          aria-invalid={isMissing}
          status={status}
          min={0}
          max={MAX_DAYS}
          precision={0}
          value={amount === null ? null : Number(amount)}
          onChange={(next) => onChange(next === null ? [] : [`$now${chosen === 'ago' ? '-' : '+'}${next}d`])}
        />
      )}
    </span>
  )
}
