import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRpc } from '@/refine/use-rpc'
import type { InputProps } from '@/resource/fields/kind-interface'
import { Input } from '@/resource/fields/timezone/input'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { useDebounced } from '@/ui/use-debounced'
import { type RunTime, RunTimes } from './run-times'
import css from './schedules.module.css'

const PAUSE_MS = 400
const PREVIEWED = 3

const isTime = (value: unknown) => typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value)

/** Whether the values say when it runs; the database would refuse the others. */
function isComplete(values: Record<string, unknown>): boolean {
  const { frequency, starts_at, every_minutes, time_of_day, weekdays, month_day, timezone } = values
  if (typeof timezone !== 'string' || timezone === '' || Number.isNaN(Date.parse(String(starts_at))))
    return false
  if (frequency === 'once') return true
  if (frequency === 'every') return Number(every_minutes) >= 5
  if (!isTime(time_of_day)) return false
  if (frequency === 'weekly') return Array.isArray(weekdays) && weekdays.length > 0
  return frequency !== 'monthly' || Number(month_day) >= 1
}

/** The time zone of a schedule, and its next times with the values of the form. */
export function TimezoneField(props: InputProps<'timezone'>) {
  return (
    <>
      <Input {...props} />
      <SchedulePreview />
    </>
  )
}

const COLUMNS = [
  'frequency',
  'starts_at',
  'every_minutes',
  'time_of_day',
  'weekdays',
  'month_day',
  'month_week',
  'month_weekday',
  'timezone',
  'device_time',
  'target',
]

function SchedulePreview() {
  const { t } = useTranslation('schedules')
  const errorText = useErrorText()
  const form = Form.useFormInstance()
  const { companyId } = useCompanyScope()
  const values = (Form.useWatch([], { form, preserve: true }) ?? {}) as Record<string, unknown>
  const draft = {
    ...Object.fromEntries(COLUMNS.map((name) => [name, values[name] ?? null])),
    company_id: values.company_id ?? companyId,
  }
  // Compared as text: the values of a form are new objects at each render.
  const asked = useDebounced(isComplete(values) ? JSON.stringify(draft) : '', PAUSE_MS)
  const { data, error } = useRpc<RunTime[]>(
    {
      name: 'preview_schedule',
      args: { draft: asked ? (JSON.parse(asked) as unknown) : {}, max_runs: PREVIEWED },
      resource: 'scheduled_tasks',
    },
    { enabled: asked !== '', placeholderData: (previous) => previous },
  )
  if (asked === '') return null
  return (
    <div role="status" className="l-note">
      {error ? (
        errorText(error)
      ) : !data ? null : data.length === 0 ? (
        t('next.never')
      ) : (
        <>
          <div className={css.heading}>{t('next.title')}</div>
          <RunTimes times={data} timezone={String(values.timezone ?? '')} />
        </>
      )}
    </div>
  )
}
